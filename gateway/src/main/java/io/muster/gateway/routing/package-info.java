/** Which request goes to which service, how much at once, and what happens when it does not answer. */
@NullMarked
package io.muster.gateway.routing;

import org.jspecify.annotations.NullMarked;

/** Tests. */
@NullMarked
package io.muster.gateway.routing;

import org.jspecify.annotations.NullMarked;

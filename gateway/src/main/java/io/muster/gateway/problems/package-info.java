/** What each problem code means, one page each. */
@NullMarked
package io.muster.gateway.problems;

import org.jspecify.annotations.NullMarked;

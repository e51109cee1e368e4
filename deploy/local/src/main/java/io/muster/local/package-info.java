/** The whole system on one machine, as {@code ./muster up} starts it: the production code with loopback addresses. */
@NullMarked
package io.muster.local;

import org.jspecify.annotations.NullMarked;

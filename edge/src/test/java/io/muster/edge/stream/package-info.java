/** Streams without a service: positions, places, what is written. */
@NullMarked
package io.muster.edge.stream;

import org.jspecify.annotations.NullMarked;

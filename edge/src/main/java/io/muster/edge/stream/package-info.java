/** Server-Sent Events: what has changed, in order, to callers who come back with the last number they have seen. */
@NullMarked
package io.muster.edge.stream;

import org.jspecify.annotations.NullMarked;

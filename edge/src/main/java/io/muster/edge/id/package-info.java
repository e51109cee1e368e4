/** Identifiers and the clock: one source each. */
@NullMarked
package io.muster.edge.id;

import org.jspecify.annotations.NullMarked;

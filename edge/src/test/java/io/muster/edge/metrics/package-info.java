/** Tests. */
@NullMarked
package io.muster.edge.metrics;

import org.jspecify.annotations.NullMarked;

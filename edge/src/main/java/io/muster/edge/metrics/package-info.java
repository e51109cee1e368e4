/** What every service tells of itself to Prometheus. */
@NullMarked
package io.muster.edge.metrics;

import org.jspecify.annotations.NullMarked;

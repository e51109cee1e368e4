/** Numbers for Prometheus; never with a job's id. */
@NullMarked
package io.muster.job.metrics;

import org.jspecify.annotations.NullMarked;

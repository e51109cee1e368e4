@NullUnmarked
package io.muster.job.metrics;

import org.jspecify.annotations.NullUnmarked;

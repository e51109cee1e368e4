@NullUnmarked
package io.muster.job.queue;

import org.jspecify.annotations.NullUnmarked;

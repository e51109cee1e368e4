@NullUnmarked
package io.muster.job.submission;

import org.jspecify.annotations.NullUnmarked;

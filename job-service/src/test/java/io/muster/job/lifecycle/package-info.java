@NullUnmarked
package io.muster.job.lifecycle;

import org.jspecify.annotations.NullUnmarked;

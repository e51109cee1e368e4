@NullUnmarked
package io.muster.job.waste;

import org.jspecify.annotations.NullUnmarked;

@NullUnmarked
package io.muster.job.agent;

import org.jspecify.annotations.NullUnmarked;

@NullUnmarked
package io.muster.job.neighbour;

import org.jspecify.annotations.NullUnmarked;

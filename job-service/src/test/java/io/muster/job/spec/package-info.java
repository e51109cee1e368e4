@NullUnmarked
package io.muster.job.spec;

import org.jspecify.annotations.NullUnmarked;

@NullUnmarked
package io.muster.job.query;

import org.jspecify.annotations.NullUnmarked;

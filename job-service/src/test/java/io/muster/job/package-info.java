@NullUnmarked
package io.muster.job;

import org.jspecify.annotations.NullUnmarked;

@NullMarked
package io.muster.scheduler.translation;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.muster.scheduler.intake;

import org.jspecify.annotations.NullMarked;

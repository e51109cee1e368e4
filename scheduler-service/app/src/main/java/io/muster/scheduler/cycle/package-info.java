/** The one decision thread and what it keeps in memory. */
@NullMarked
package io.muster.scheduler.cycle;

import org.jspecify.annotations.NullMarked;

/** At which step all ranks save next, when the interval is a duration. */
@NullMarked
package io.muster.checkpoint.pace;

import org.jspecify.annotations.NullMarked;

/** Files written so that a crash leaves the old or the new, never half. */
@NullMarked
package io.muster.agent.disk;

import org.jspecify.annotations.NullMarked;

/** Finding a whole copy of what is to be restored, the nearest first. */
@NullMarked
package io.muster.agent.restore;

import org.jspecify.annotations.NullMarked;

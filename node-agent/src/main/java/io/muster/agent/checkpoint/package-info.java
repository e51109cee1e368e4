/** The checkpoint data path: slots, store, commit, restore. */
@NullMarked
package io.muster.agent.checkpoint;

import org.jspecify.annotations.NullMarked;

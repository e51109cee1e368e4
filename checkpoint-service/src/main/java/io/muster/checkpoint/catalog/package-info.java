/** Checkpoints of a job from reservation to commit, its head and fence, and the choice of what to restore. */
@NullMarked
package io.muster.checkpoint.catalog;

import org.jspecify.annotations.NullMarked;

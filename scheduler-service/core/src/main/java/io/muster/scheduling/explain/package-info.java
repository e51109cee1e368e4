/** Why a job does not run: one main reason, the numbers, and what the person can do. */
@NullMarked
package io.muster.scheduling.explain;

import org.jspecify.annotations.NullMarked;

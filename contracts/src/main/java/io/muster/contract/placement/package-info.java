/** Whole state of a job's allocation as scheduler-service publishes it on muster.placements.v1. */
@NullMarked
package io.muster.contract.placement;

import org.jspecify.annotations.NullMarked;

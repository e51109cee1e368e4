/** What can be asked: feasibility, explanations, placements for repair, capacity, pending queues; and metrics and health. */
@NullMarked
package io.muster.scheduler.visibility;

import org.jspecify.annotations.NullMarked;

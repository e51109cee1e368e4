/**
 * What failures cost one large job: faults by published rates, phases of a recovery by settings, replacements chosen by
 * the scheduling core, every millisecond booked once.
 */
@NullMarked
package io.muster.simulator.failure;

import org.jspecify.annotations.NullMarked;

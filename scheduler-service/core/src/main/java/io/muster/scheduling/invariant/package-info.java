/** What must hold after every decision and every release; asked by tests and simulation, never by the decision itself. */
@NullMarked
package io.muster.scheduling.invariant;

import org.jspecify.annotations.NullMarked;

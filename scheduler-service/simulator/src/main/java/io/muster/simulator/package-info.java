/** The command line of the simulations around the scheduling core. */
@NullMarked
package io.muster.simulator;

import org.jspecify.annotations.NullMarked;

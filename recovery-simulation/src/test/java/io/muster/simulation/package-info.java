/** One virtual clock, a hostile network, machines that break, and what must hold all the while. */
@NullMarked
package io.muster.simulation;

import org.jspecify.annotations.NullMarked;

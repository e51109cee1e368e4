/** Process groups of ranks: start, watch, end, and read why they ended. */
@NullMarked
package io.muster.agent.process;

import org.jspecify.annotations.NullMarked;

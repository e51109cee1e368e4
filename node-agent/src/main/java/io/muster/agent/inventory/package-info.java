/** What this machine is: GPUs, memory, processors. */
@NullMarked
package io.muster.agent.inventory;

import org.jspecify.annotations.NullMarked;

/** Frames between ranks and their agent. */
@NullMarked
package io.muster.agent.socket;

import org.jspecify.annotations.NullMarked;

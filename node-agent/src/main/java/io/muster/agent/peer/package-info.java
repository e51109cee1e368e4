/** Shards from agent to agent: who keeps whose, how they prove that they may, and what one hop carries. */
@NullMarked
package io.muster.agent.peer;

import org.jspecify.annotations.NullMarked;

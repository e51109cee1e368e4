/** The agent's own memory for shards: what ranks handed over and what peers gave to keep. */
@NullMarked
package io.muster.agent.memory;

import org.jspecify.annotations.NullMarked;

package io.muster.contract.checkpoint;

import io.muster.contract.id.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * A node whose agent holds a sealed copy of a shard in memory.
 *
 * @param address where its agent is reached; null in what an agent reports, filled in by checkpoint-service in what it answers
 * @param port the agent's port for peers; 0 where the address is null
 */
public record ShardHolder(NodeId node, @Nullable String address, int port) {}

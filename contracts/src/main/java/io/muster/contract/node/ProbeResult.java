package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import org.jspecify.annotations.Nullable;

/** What an arbiter, or a member of a gang, found when it connected to another agent. */
public record ProbeResult(
        @Nullable String probeId, NodeId from, NodeId target, boolean reached, long tookMillis, String message) {}

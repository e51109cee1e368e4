package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import java.time.Duration;

/** A session that is over because its node was silent for longer than the lease. */
public record ExpiredLease(NodeId node, long session, Duration silent) {}

package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import java.time.Instant;

/**
 * The answer to a join or a registration: a new life of the node begins.
 *
 * @param nodeToken signed, valid only for this node; renewed in heartbeat answers
 * @param heartbeatMillis how often to send a heartbeat
 * @param leaseMillis how long the node counts as alive without one
 */
public record Registration(
        NodeId node, long session, String nodeToken, Instant tokenExpiresAt, long heartbeatMillis, long leaseMillis) {}

package io.muster.contract.node;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sent by the agent every heartbeat interval.
 *
 * @param sequence rises within a session
 * @param agentTime the agent's clock, for the offset check
 * @param facts the node's facts when they changed or every minute; else null
 * @param checks results of tier-A checks finished since the last heartbeat
 * @param probes results of probe orders finished since the last heartbeat
 */
public record Heartbeat(
        long session,
        long sequence,
        Instant agentTime,
        @Nullable NodeFacts facts,
        List<CheckResult> checks,
        List<ProbeResult> probes) {

    public Heartbeat {
        checks = List.copyOf(checks);
        probes = List.copyOf(probes);
    }
}

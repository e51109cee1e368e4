package io.muster.contract.node;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * @param registerAgain the session has ended; what was sent under it was ignored
 * @param runChecks the node is being looked at: run the tier-A checks now and send their results
 * @param serverTime health-service's clock when it answered
 * @param renewed a fresh token when the current one is past half of its life
 */
public record HeartbeatAnswer(
        boolean registerAgain,
        boolean runChecks,
        List<ProbeOrder> probes,
        Instant serverTime,
        @Nullable Registration renewed) {

    public HeartbeatAnswer {
        probes = List.copyOf(probes);
    }
}

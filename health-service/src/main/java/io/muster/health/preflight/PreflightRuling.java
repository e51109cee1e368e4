package io.muster.health.preflight;

import io.muster.contract.id.NodeId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the judge says now. */
sealed interface PreflightRuling {

    /** Reports or answers are awaited. */
    record Wait(String message) implements PreflightRuling {}

    /** A third node shall try to reach these. */
    record AskArbiter(NodeId arbiter, List<NodeId> targets) implements PreflightRuling {

        public AskArbiter {
            targets = List.copyOf(targets);
        }
    }

    /**
     * Final.
     *
     * @param blamed why, by node; empty if nobody could be blamed
     */
    record Decided(Map<NodeId, String> blamed, String message) implements PreflightRuling {

        public Decided {
            blamed = new TreeMap<>(blamed);
        }
    }
}

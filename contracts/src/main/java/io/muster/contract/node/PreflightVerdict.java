package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import java.util.List;

/**
 * Whom health-service blames for a failed preflight.
 *
 * @param decided false while reports or an arbiter's answer are awaited; ask again
 * @param blamed nodes now under a hold for it; empty if no one could be blamed
 */
public record PreflightVerdict(boolean decided, List<NodeId> blamed, String message) {

    public PreflightVerdict {
        blamed = List.copyOf(blamed);
    }
}

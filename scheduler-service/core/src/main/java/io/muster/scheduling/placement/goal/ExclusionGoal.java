package io.muster.scheduling.placement.goal;

import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.NodeId;
import java.util.Collections;
import java.util.Optional;

/** The node is neither on the user's list of nodes to avoid nor one that failed for this job. */
public final class ExclusionGoal {

    private ExclusionGoal() {}

    public static Optional<NodeRefusal> refusal(GangRequest request, NodeId node) {
        if (Collections.binarySearch(request.avoidNodes(), node) >= 0) {
            return Optional.of(NodeRefusal.AVOIDED_BY_USER);
        }
        return Collections.binarySearch(request.failedNodes(), node) >= 0
                ? Optional.of(NodeRefusal.FAILED_FOR_THIS_JOB)
                : Optional.empty();
    }
}

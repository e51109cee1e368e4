package io.muster.health.preflight;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.PreflightReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a gang's preflight.
 *
 * @param reports by member; members that have not reported are missing
 * @param judgedFrom since when there is something to judge: the first failure, or job-service's first question
 * @param leaseGone members without a lease
 * @param outsiders healthy living nodes outside of the gang, in the order in which they are asked
 * @param arbitration what a third node was asked, or null
 */
record PreflightCase(
        List<NodeId> members,
        Map<NodeId, PreflightReport> reports,
        Instant judgedFrom,
        SortedSet<NodeId> leaseGone,
        List<NodeId> outsiders,
        @Nullable Arbitration arbitration) {

    PreflightCase {
        members = members.stream().distinct().sorted().toList();
        reports = new TreeMap<>(reports);
        outsiders = List.copyOf(outsiders);
    }

    /**
     * A third node's view of both ends.
     *
     * @param targets whom it was asked to reach
     * @param reached what it has answered so far
     */
    record Arbitration(NodeId arbiter, Instant orderedAt, List<NodeId> targets, Map<NodeId, Boolean> reached) {

        Arbitration {
            targets = List.copyOf(targets);
            reached = new TreeMap<>(reached);
        }

        boolean complete() {
            return reached.keySet().containsAll(targets);
        }
    }
}

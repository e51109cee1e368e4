package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import java.time.Duration;
import java.util.List;

/**
 * All leases as one sweep saw them, in the order of the nodes' names.
 *
 * @param anybodyHeard somebody was heard within the last two heartbeats
 * @param restartedAt when all leases were last restarted in full
 */
record LeaseSurvey(long now, List<Standing> nodes, boolean anybodyHeard, long restartedAt) {

    LeaseSurvey {
        nodes = List.copyOf(nodes);
    }

    /**
     * One lease.
     *
     * @param over it has run out
     * @param quiet it has not, but a heartbeat is overdue
     */
    record Standing(NodeId node, long session, long heardAt, boolean over, boolean quiet) {

        ExpiredLease expired(long now) {
            return new ExpiredLease(node, session, Duration.ofNanos(now - heardAt));
        }
    }

    List<Standing> missing() {
        return nodes.stream().filter(Standing::over).toList();
    }

    List<Standing> quiet() {
        return nodes.stream().filter(Standing::quiet).toList();
    }
}

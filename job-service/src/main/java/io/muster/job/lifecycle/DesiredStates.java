package io.muster.job.lifecycle;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.id.NodeId;
import io.muster.job.cluster.ClusterIdentity;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What each node shall do, as a whole and with its revision. Both are read from one snapshot: an assignment is never
 * shown under a revision that is older than it.
 */
@Component
public class DesiredStates {

    /** How often a waiting poll looks by itself, for changes made by other instances. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final DesiredStore desired;
    private final JobStore jobs;
    private final NodeSignals signals;
    private final ClusterIdentity cluster;
    private final PeerKeys peerKeys;
    private final Clock clock;
    private final TransactionTemplate snapshot;

    DesiredStates(
            DesiredStore desired,
            JobStore jobs,
            NodeSignals signals,
            ClusterIdentity cluster,
            PeerKeys peerKeys,
            Clock clock,
            PlatformTransactionManager transactions) {
        this.desired = desired;
        this.jobs = jobs;
        this.signals = signals;
        this.cluster = cluster;
        this.peerKeys = peerKeys;
        this.clock = clock;
        this.snapshot = new TransactionTemplate(transactions);
        this.snapshot.setReadOnly(true);
        this.snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    /** As soon as the revision is above the given one; after the wait as it is. Holds no connection while it waits. */
    public DesiredState await(NodeId node, long revision, Duration wait) {
        Instant end = clock.instant().plus(wait);
        while (true) {
            CompletableFuture<Void> signal = signals.next(node);
            Duration left = Duration.between(clock.instant(), end);
            if (desired.revision(node) > revision
                    || left.isNegative()
                    || left.isZero()
                    || Thread.currentThread().isInterrupted()) {
                return current(node);
            }
            NodeSignals.await(signal, left.compareTo(LOOK_AGAIN) < 0 ? left : LOOK_AGAIN);
        }
    }

    public long revision(NodeId node) {
        return desired.revision(node);
    }

    private DesiredState current(NodeId node) {
        return snapshot.execute(status -> {
            long revision = desired.revision(node);
            List<Assignment> assignments = desired.asked(node).stream()
                    .flatMap(asked -> assignment(node, asked).stream())
                    .toList();
            return new DesiredState(cluster.clusterId(), cluster.incarnation(), revision, assignments);
        });
    }

    private Optional<Assignment> assignment(NodeId node, DesiredStore.Asked asked) {
        if (!asked.newest()) {
            return Optional.of(
                    new Assignment(asked.job(), asked.attempt(), asked.generation(), AssignmentAction.STOP, null));
        }
        Job job = jobs.find(asked.job()).orElseThrow().job();
        Attempt attempt = job.attemptOrThrow();
        return attempt.members().stream()
                .filter(member -> member.node().equals(node))
                .findFirst()
                .flatMap(member -> GangTasks.assignment(job.head(), attempt, member, peerKeys));
    }
}

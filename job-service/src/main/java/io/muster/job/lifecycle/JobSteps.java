package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.NodeState;
import io.muster.contract.node.PreflightVerdict;
import io.muster.job.neighbour.Answer;
import io.muster.job.neighbour.Checkpoints;
import io.muster.job.neighbour.Health;
import io.muster.job.node.NodeDirectory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The steps of a job that need an answer from outside, or only the time. The other service is asked outside of any
 * transaction; the answer is applied under the job's lock, and only if the job still waits for it. No answer changes
 * nothing but the reason that people see: unknown is never fresh, and nobody is blamed on a guess.
 */
@Component
class JobSteps {

    private final JobStore jobs;
    private final WakeStore due;
    private final JobWriter writer;
    private final NodeDirectory nodes;
    private final CheckpointViews checkpointViews;
    private final Checkpoints checkpoints;
    private final Health health;
    private final StartLimits limits;
    private final RepairWait repairWait;
    private final Shunning shunning;
    private final TransactionTemplate transaction;

    JobSteps(
            JobStore jobs,
            WakeStore due,
            JobWriter writer,
            NodeDirectory nodes,
            CheckpointViews checkpointViews,
            Checkpoints checkpoints,
            Health health,
            StartLimits limits,
            RepairWait repairWait,
            Shunning shunning,
            PlatformTransactionManager transactions) {
        this.jobs = jobs;
        this.due = due;
        this.writer = writer;
        this.nodes = nodes;
        this.checkpointViews = checkpointViews;
        this.checkpoints = checkpoints;
        this.health = health;
        this.limits = limits;
        this.repairWait = repairWait;
        this.shunning = shunning;
        this.transaction = new TransactionTemplate(transactions);
    }

    void take(JobId id) {
        JobStore.Stored stored = jobs.find(id).orElse(null);
        if (stored == null) {
            return;
        }
        Job job = stored.job();
        Attempt attempt = job.attempt();
        if (attempt == null) {
            due.settle(id, stored.rowVersion(), writer.nextLook(job, writer.now()));
        } else if (attempt.stage() == AttemptStage.AWAITING_RESTORE) {
            prepare(job, attempt);
        } else if (attempt.verdictPending()) {
            askVerdict(id, attempt.number());
        } else {
            EvidenceBarrier.questions(job).forEach(node -> askFitness(id, node));
            writer.change(id, this::led);
            due.settle(id, stored.rowVersion(), writer.nextLook(job, writer.now()));
        }
    }

    /** Everything that is due by the time alone. */
    private Job led(Job job, Instant now) {
        Job limited = limits.enforced(AttemptDecisions.advanced(job, now), now);
        return shunning.enforced(repairWait.enforced(limited, now), now);
    }

    private void prepare(Job job, Attempt attempt) {
        Map<NodeId, StartDecisions.Address> addresses = new TreeMap<>();
        List<NodeId> unknown = new ArrayList<>();
        List<Job.LostNode> lost = new ArrayList<>();
        for (Member member : attempt.members()) {
            NodeState state = nodes.find(member.node()).orElse(null);
            if (state == null) {
                unknown.add(member.node());
            } else {
                addresses.put(
                        member.node(),
                        new StartDecisions.Address(
                                state.facts().agentAddress(),
                                state.facts().agentPort(),
                                state.facts().domains().rack()));
                lost.addAll(NodeLosses.lostOf(state));
            }
        }
        if (!lost.isEmpty()) {
            writer.change(
                    job.id(),
                    (one, now) -> one.live()
                                    .filter(same -> same.number() == attempt.number())
                                    .isPresent()
                            ? AttemptDecisions.lost(one, lost, now)
                            : one);
        } else if (!unknown.isEmpty()) {
            waits(
                    job.id(),
                    attempt.number(),
                    JobReason.WAITING_FOR_NODE_FACTS,
                    "health-service has not told of node " + unknown.getFirst()
                            + (unknown.size() == 1 ? "" : " and " + (unknown.size() - 1) + " more") + " yet");
        } else {
            askRestore(job, attempt.number(), addresses);
        }
    }

    private void askRestore(Job job, int number, Map<NodeId, StartDecisions.Address> addresses) {
        String resumeFrom = ResumeFrom.of(
                job.head().spec(),
                jobs.ranBefore(job.id(), number),
                checkpointViews.find(job.id()).isPresent());
        RestoreRequest request = new RestoreRequest(
                job.id(),
                job.head().tenant(),
                job.head().project(),
                number,
                resumeFrom,
                job.head().spec().worldSize(),
                jobs.damaged(job.id()));
        switch (checkpoints.restore(request)) {
            case Answer.Given<RestoreDecision>(RestoreDecision decision) -> decided(job, number, decision, addresses);
            case Answer.Missing<RestoreDecision>(String why) ->
                waits(
                        job.id(),
                        number,
                        JobReason.WAITING_FOR_CHECKPOINT_SERVICE,
                        "attempt " + number + " starts as soon as it is known from which checkpoint; " + why);
        }
    }

    /**
     * A node may have been lost since its state was read. Its row is locked before the job's, as {@link NodeLosses} does
     * it: either the loss is seen here, or it waits and finds the job with its tasks given out.
     */
    private void decided(Job job, int number, RestoreDecision decision, Map<NodeId, StartDecisions.Address> addresses) {
        transaction.executeWithoutResult(status -> {
            List<NodeState> states = nodes.lock(addresses.keySet());
            writer.change(job.id(), (one, now) -> {
                List<Job.LostNode> lost = !StartDecisions.awaitsRestore(one, number)
                        ? List.of()
                        : states.stream()
                                .flatMap(state -> NodeLosses.lostOf(state).stream())
                                .toList();
                return lost.isEmpty()
                        ? StartDecisions.restoreDecided(one, number, decision, addresses, now)
                        : AttemptDecisions.lost(one, lost, now);
            });
        });
    }

    private void askVerdict(JobId id, int number) {
        switch (health.preflightVerdict(id, number)) {
            case Answer.Given<PreflightVerdict>(PreflightVerdict verdict) -> {
                writer.change(id, (one, now) -> StartDecisions.judged(one, number, verdict, now));
                if (!verdict.decided()) {
                    rest(id);
                }
            }
            case Answer.Missing<PreflightVerdict> missing -> rest(id);
        }
    }

    /** Without an answer nothing is known of the node, and it is asked about again. */
    private void askFitness(JobId id, NodeId node) {
        switch (health.fitness(node)) {
            case Answer.Given<Fitness>(Fitness fitness) ->
                writer.change(id, (one, now) -> EvidenceBarrier.answered(one, fitness, now));
            case Answer.Missing<Fitness> missing ->
                writer.change(id, (one, now) -> EvidenceBarrier.unanswered(one, node, now));
        }
    }

    private void waits(JobId id, int number, JobReason reason, String message) {
        writer.change(id, (one, now) -> StartDecisions.waits(one, number, reason, message));
        rest(id);
    }

    private void rest(JobId id) {
        due.again(id, writer.now().plus(AttemptDecisions.RETRY));
    }
}

package io.muster.simulation;

import io.muster.agent.attempt.AttemptKey;
import io.muster.checkpoint.catalog.SimulatedCheckpointService.Commit;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.health.node.NodeRecord;
import io.muster.job.lifecycle.Attempt;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobReason;
import io.muster.scheduler.allocation.Allocations;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What holds at every moment, whatever is lost, late or killed. Each rule compares what a service has just made durable
 * with what is really there, or with what it had made durable before; none asks the code under test for its opinion.
 */
public final class Invariants implements Allocations.Watcher {

    private static final Set<JobReason> OF_THE_PROGRAM = EnumSet.of(
            JobReason.USER_ERROR,
            JobReason.OUT_OF_MEMORY,
            JobReason.KILLED_BY_SIGNAL,
            JobReason.LOST_CONNECTION,
            JobReason.PROCESSES_LOST,
            JobReason.START_FAILED);

    private final Kernel kernel;
    private @Nullable World world;
    private final TreeMap<JobId, Job> jobs = new TreeMap<>();
    private final Map<JobId, Integer> fences = new HashMap<>();
    private final Map<CheckpointId, Commit> commits = new TreeMap<>();
    private final Map<String, Long> placings = new HashMap<>();
    private final Map<NodeId, Long> evictedAt = new HashMap<>();
    private final Set<NodeId> evictedNow = new HashSet<>();
    private final Set<NodeId> spares = new HashSet<>();
    private final Map<NodeId, Long> heardAt = new HashMap<>();
    private final Map<NodeId, long[]> heard = new HashMap<>();
    private final Map<NodeId, Set<String>> evictions = new HashMap<>();
    private long healthDisturbedAt = -100_000;

    Invariants(Kernel kernel) {
        this.kernel = kernel;
    }

    void watch(World its) {
        world = its;
    }

    private World world() {
        return Objects.requireNonNull(world);
    }

    private void require(boolean holds, Supplier<String> sentence) {
        if (!holds) {
            broken(sentence.get());
        }
    }

    void broken(String sentence) {
        kernel.tell("VIOLATED: " + sentence);
        throw new Violation(sentence);
    }

    // --- the physical world

    /** A rank is about to start. */
    void starting(Proc proc, GangTask task) {
        for (Proc other : world().living(proc.machine)) {
            boolean sameJob = other.key.job().equals(proc.key.job());
            require(
                    !sameJob || other.key.equals(proc.key),
                    () -> proc + " starts beside a living rank of another attempt: " + other);
            require(
                    sameJob || Collections.disjoint(other.gpus, proc.gpus),
                    () -> proc + " starts on GPUs " + proc.gpus + ", which " + other + " uses");
        }
        for (Machine machine : world().machines()) {
            require(
                    world().living(machine).stream()
                            .noneMatch(other -> other.key.equals(proc.key) && other.rank == proc.rank),
                    () -> proc + " starts twice");
        }
        startsFrom(proc.key, task.restore());
    }

    /** Nothing newer than what it starts from was committed before it. */
    private void startsFrom(AttemptKey key, RestoreDecision restore) {
        Commit newest = newest(key.job(), key.attempt());
        CheckpointId expected = newest == null ? null : newest.id();
        require(
                Objects.equals(expected, restore.checkpointId()),
                () -> key + " starts from " + restore.checkpointId() + " of step " + restore.step()
                        + ", the newest commit of earlier attempts is " + newest);
    }

    private @Nullable Commit newest(JobId job, int beforeAttempt) {
        return commits.values().stream()
                .filter(commit -> commit.job().equals(job)
                        && commit.attempt() < beforeAttempt
                        && commit.phase() == CheckpointPhase.COMMITTED)
                .max(Comparator.comparingLong(Commit::version))
                .orElse(null);
    }

    // --- checkpoint-service

    void checkpoints(Map<JobId, Integer> nowFences, List<Commit> nowCommits) {
        nowFences.forEach((job, fence) -> {
            int before = fences.getOrDefault(job, 0);
            require(fence >= before, () -> "the fence of " + job + " fell from " + before + " to " + fence);
            fences.put(job, fence);
        });
        for (Commit commit : nowCommits) {
            if (commits.put(commit.id(), commit) == null) {
                require(
                        commit.attempt() == fences.getOrDefault(commit.job(), 0),
                        () -> commit + " was committed although the fence is at " + fences.get(commit.job()));
                kernel.tell("committed " + commit.job() + " a" + commit.attempt() + " step " + commit.step() + " "
                        + commit.id());
            }
            require(
                    commit.phase() == CheckpointPhase.COMMITTED
                            || (commit.phase() == CheckpointPhase.CORRUPT && world().anyDamaged(commit.id())),
                    () -> commit + " was committed and is not any more, though all its copies live");
        }
        require(nowCommits.size() == commits.size(), () -> "a committed checkpoint has vanished: " + commits);
    }

    void restored(RestoreRequest request, RestoreDecision decision) {
        Commit newest = newest(request.jobId(), request.attempt());
        if (decision.verdict() == RestoreVerdict.FRESH) {
            require(newest == null, () -> request + " is answered FRESH, but there is " + newest);
        }
        if (decision.verdict() == RestoreVerdict.RESTORED) {
            require(
                    newest != null && newest.id().equals(decision.checkpointId()),
                    () -> request + " is answered " + decision.checkpointId() + ", the newest commit is " + newest);
        }
    }

    // --- scheduler-service

    /** A gang has got its GPUs; spares are for repairs. */
    @Override
    public void placed(PlacementState state, boolean repaired) {
        for (PlacedMember member : state.members()) {
            require(
                    repaired || !spares.contains(member.node()),
                    () -> state.jobId() + " was placed anew on the spare node " + member.node());
        }
        placings.putIfAbsent(state.jobId() + "/" + state.generation(), kernel.millis());
    }

    private long placedAt(JobId job, int generation) {
        return placings.getOrDefault(job + "/" + generation, kernel.millis());
    }

    /** A service hears of an eviction, however late: it cannot know that it is over already. */
    void told(NodeState state) {
        // marked before anything is placed, and for good
        if (state.spare()) {
            spares.add(state.node());
        }
        if (state.holds().stream().anyMatch(hold -> hold.effect() == HoldEffect.EVICT)) {
            evictedAt.put(state.node(), kernel.millis());
        }
    }

    /** There was an eviction, or word of one, while the gang had the node. */
    private boolean evictedSince(NodeId node, long since) {
        return evictedNow.contains(node) || evictedAt.getOrDefault(node, -1L) >= since;
    }

    /** GPUs are about to count as free. */
    @Override
    public void freed(PlacementState state, Set<NodeId> nodes) {
        for (NodeId node : nodes) {
            Machine machine = world().machine(node);
            for (Proc proc : world().living(machine)) {
                boolean its = proc.key.job().equals(state.jobId()) && proc.generation == state.generation();
                boolean evicted = evictedSince(node, placedAt(state.jobId(), state.generation()));
                require(
                        !its || evicted,
                        () -> "node " + node + " is freed of " + state.jobId() + " generation " + state.generation()
                                + " while " + proc + " lives and the node is not evicted");
            }
        }
    }

    // --- health-service

    void heard(NodeId node, long session, long sequence) {
        long[] last = heard.computeIfAbsent(node, any -> new long[2]);
        if (session > last[0] || session == last[0] && sequence > last[1]) {
            last[0] = session;
            last[1] = sequence;
            heardAt.put(node, kernel.millis());
        }
    }

    void healthDisturbed() {
        healthDisturbedAt = kernel.millis();
    }

    void nodes(List<NodeRecord> records) {
        evictedNow.clear();
        for (NodeRecord record : records) {
            for (Hold hold : record.holds().holds()) {
                if (hold.effect() == HoldEffect.EVICT) {
                    evictedAt.put(record.node(), kernel.millis());
                    evictedNow.add(record.node());
                    boolean fresh = evictions
                            .computeIfAbsent(record.node(), any -> new HashSet<>())
                            .add(hold.holdId() + "/" + hold.session());
                    if (fresh) {
                        justEvicted(record.node(), hold);
                    }
                }
            }
        }
    }

    private void justEvicted(NodeId node, Hold hold) {
        kernel.tell("evicted " + node + " " + hold.cause() + " session " + hold.session());
        long silent = kernel.millis() - heardAt.getOrDefault(node, -100_000L);
        boolean current = heard.getOrDefault(node, new long[2])[0] <= hold.session();
        require(
                !current || silent > 2600 || kernel.millis() - healthDisturbedAt < 15_000,
                () -> "node " + node + " was heard " + silent + " ms ago and is evicted: " + hold);
    }

    // --- job-service

    void job(Job after) {
        Job before = jobs.put(after.id(), after);
        if (before == null) {
            return;
        }
        require(
                !before.phase().ended() || before.phase() == after.phase(),
                () -> after.id() + " left the end state " + before.phase() + " for " + after.phase());
        int wasAttempt = before.attempt() == null ? 0 : before.attempt().number();
        int isAttempt = after.attempt() == null ? 0 : after.attempt().number();
        require(
                isAttempt == wasAttempt || isAttempt == wasAttempt + 1,
                () -> after.id() + " went from attempt " + wasAttempt + " to " + isAttempt);
        require(
                after.holding().generation() >= before.holding().generation(),
                () -> after.id() + " fell from generation " + before.holding().generation() + " to "
                        + after.holding().generation());
        Attempt attempt = isAttempt > wasAttempt && before.attempt() != null ? before.attempt() : after.attempt();
        if (attempt != null) {
            charged(before, after, attempt);
            blamed(before, after, attempt);
        }
    }

    /** A change may begin the next attempt as well: what it charges is the one before. */
    private void charged(Job before, Job after, Attempt attempt) {
        require(
                after.restarts().platform() <= before.restarts().platform() + 1
                        && after.restarts().user() <= before.restarts().user() + 1,
                () -> after.id() + " was charged twice for one attempt");
        if (after.restarts().platform() > before.restarts().platform()) {
            long placed = placedAt(after.id(), attempt.generation());
            require(
                    attempt.members().stream().anyMatch(member -> evictedSince(member.node(), placed)),
                    () -> after.id() + " attempt " + attempt.number()
                            + " was charged to the platform, but none of its nodes was evicted since it was placed");
        }
    }

    /** A machine that died under its ranks, before any of them was at fault, is never the program's error. */
    private void blamed(Job before, Job after, Attempt attempt) {
        boolean chargedToUser = after.restarts().user() > before.restarts().user();
        boolean failed = after.phase() == JobPhase.FAILED
                && before.phase() != JobPhase.FAILED
                && OF_THE_PROGRAM.contains(after.status().reason());
        if (chargedToUser || failed) {
            World.Story story = world().story(new AttemptKey(after.id(), attempt.number()));
            require(
                    story.machineDied > story.ownFault || story.machineDied == Long.MAX_VALUE,
                    () -> after.id() + " attempt " + attempt.number() + " is blamed on its program ("
                            + after.status().reason() + "), but a machine died under it at " + story.machineDied);
        }
    }
}

package io.muster.agent.checkpoint;

import io.muster.agent.disk.Sha256;
import io.muster.agent.http.Answer;
import io.muster.agent.memory.HeldShard;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.memory.ShardMemory.Admission;
import io.muster.agent.peer.PeerCalls;
import io.muster.agent.peer.PeerChoice;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.SavePlan;
import io.muster.contract.id.NodeId;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of one attempt on this node. The trainer waits only until its bytes are sealed in memory; everything
 * else goes on behind it ({@link SaveWork}). Of each rank two steps may be on their way; a third one takes the place of
 * an older one that the store has, else it is refused. Once sealed no save begins; those that are still filling come to
 * their end before it is decided what can never be whole.
 */
public final class CheckpointPath {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointPath.class);
    private static final int ON_THEIR_WAY = 2;

    /** What a rank that wants to save is told. */
    public sealed interface SaveOutcome {

        record Held() implements SaveOutcome {}

        record Refused(String code, String message) implements SaveOutcome {}
    }

    /** Shared by all attempts of the agent. */
    public record Means(
            NodeId self,
            ShardMemory memory,
            PeerCalls peers,
            ShardStore store,
            CheckpointCalls calls,
            RandomGenerator random,
            long maxShardBytes) {}

    private final Assignment assignment;
    private final CheckpointPlan plan;
    private final Means means;
    private final StepBook book;
    private final SaveWork work;
    private final Map<Integer, Integer> filling = new HashMap<>();
    private boolean sealed;

    private CheckpointPath(Assignment assignment, GangTask task, CheckpointPlan plan, Means means) {
        this.assignment = assignment;
        this.plan = plan;
        this.means = means;
        Optional<GangMember> peer =
                task.peerKey().isEmpty() ? Optional.empty() : PeerChoice.of(task.members(), task.nodeRank());
        this.book = new StepBook(
                task.processesPerNode(),
                means.self(),
                peer.map(GangMember::node).orElse(null));
        this.work = new SaveWork(this, assignment, task, plan, peer, book, means);
    }

    /** With what an earlier life of this agent had staged. */
    public static CheckpointPath open(Assignment assignment, GangTask task, CheckpointPlan plan, Means means) {
        CheckpointPath path = new CheckpointPath(assignment, task, plan, means);
        path.recall();
        path.work.start();
        return path;
    }

    private synchronized void recall() {
        means.memory().own(assignment.jobId(), assignment.attempt()).stream()
                .sorted(Comparator.comparingLong(HeldShard::step))
                .forEach(shard -> drop(book.staged(shard)));
        pin();
    }

    public SaveOutcome save(int rank, long step, long bytes, ReadableByteChannel payload) throws IOException {
        ShardMemory.Place place;
        synchronized (this) {
            Optional<SaveOutcome> answer = answerAtOnce(rank, step, bytes);
            if (answer.isPresent()) {
                return answer.get();
            }
            switch (means.memory().admit(wanted(rank, step, bytes))) {
                case Admission.Full full -> {
                    return new SaveOutcome.Refused("NO_SPACE", full.why());
                }
                case Admission.Taken taken -> {
                    return new SaveOutcome.Held();
                }
                case Admission.Granted granted -> place = granted.place();
            }
            filling.merge(rank, 1, Integer::sum);
        }
        try {
            HeldShard shard = place.fill(payload);
            synchronized (this) {
                drop(book.staged(shard));
            }
            return new SaveOutcome.Held();
        } catch (Sha256.NotWritten full) {
            LOG.warn("a shard of {} could not be taken in: {}", assignment.jobId(), full.getMessage());
            return new SaveOutcome.Refused(
                    "NO_SPACE", "the memory for shards of this node took not all of it: " + full.getMessage());
        } finally {
            filled(rank);
        }
    }

    private HeldShard wanted(int rank, long step, long bytes) {
        return new HeldShard(
                assignment.jobId(), assignment.attempt(), rank, step, HeldShard.Origin.OWN, bytes, "", null);
    }

    /** Empty if the bytes are to be taken in. */
    private Optional<SaveOutcome> answerAtOnce(int rank, long step, long bytes) {
        if (work.isFenced()) {
            return refused(
                    "FENCED",
                    "a later attempt of this job has begun; attempt " + assignment.attempt()
                            + " saves nothing any more");
        }
        if (bytes > means.maxShardBytes()) {
            return refused(
                    "TOO_LARGE", "the shard has " + bytes + " bytes, at most " + means.maxShardBytes() + " are taken");
        }
        if (sealed) {
            return refused("BUSY", "attempt " + assignment.attempt() + " is being ended; it saves nothing any more");
        }
        if (book.has(rank, step) || book.hasEnded(step)) {
            return Optional.of(new SaveOutcome.Held());
        }
        if (book.onTheirWay(rank).size() + filling.getOrDefault(rank, 0) >= ON_THEIR_WAY) {
            Optional<HeldShard> spare = book.spareable(rank);
            if (spare.isEmpty()) {
                return refused(
                        "BUSY",
                        "both slots of rank " + rank + " hold older shards that are not safe yet; step " + step
                                + " is skipped");
            }
            book.dropped(spare.get());
            drop(List.of(spare.get()));
        }
        return Optional.empty();
    }

    private static Optional<SaveOutcome> refused(String code, String message) {
        return Optional.of(new SaveOutcome.Refused(code, message));
    }

    private synchronized void filled(int rank) {
        filling.computeIfPresent(rank, (any, count) -> count == 1 ? null : count - 1);
        giveUpWhatCannotBeWhole();
        work.wake();
    }

    /** STAGED, LOCAL, COMMITTED, ABANDONED or UNKNOWN. */
    public synchronized String phase(long step) {
        return book.phase(step).map(StepBook.Phase::name).orElse("UNKNOWN");
    }

    /** The next step at which all ranks save; empty if the service does not say now. */
    public OptionalLong nextSave(long step) {
        if (plan.everySeconds() == 0) {
            long every = Math.max(1, plan.everySteps());
            return OptionalLong.of((step / every + 1) * every);
        }
        return switch (means.calls().plan(assignment.jobId(), assignment.attempt(), step, plan.everySeconds())) {
            case Answer.Ok<SavePlan> ok -> OptionalLong.of(ok.body().nextStep());
            case Answer.Refused<SavePlan> refused -> {
                LOG.warn("save plan refused job={} {} {}", assignment.jobId(), refused.status(), refused.detail());
                yield OptionalLong.empty();
            }
            case Answer.Unreachable<SavePlan> away -> OptionalLong.empty();
        };
    }

    /** The ranks are gone; what is whole here is still brought to its end. */
    public synchronized void seal() {
        sealed = true;
        giveUpWhatCannotBeWhole();
        work.wake();
    }

    private void giveUpWhatCannotBeWhole() {
        if (sealed && filling.isEmpty()) {
            drop(book.seal());
        }
    }

    /** Whether all that can be stored is stored and told. */
    public synchronized boolean drained() {
        return filling.isEmpty() && !book.holdsUnsafe();
    }

    public void close() {
        work.close();
        means.memory().pin(assignment.jobId(), assignment.attempt(), List.of());
    }

    /** Memory keeps what is still to be stored. */
    void pin() {
        means.memory().pin(assignment.jobId(), assignment.attempt(), book.pinned());
    }

    void drop(List<HeldShard> useless) {
        useless.forEach(means.memory()::drop);
    }
}

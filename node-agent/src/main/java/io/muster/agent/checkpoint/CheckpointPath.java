package io.muster.agent.checkpoint;

import io.muster.agent.checkpoint.Slots.Staged;
import io.muster.agent.checkpoint.StepBook.Work;
import io.muster.agent.http.Answer;
import io.muster.agent.pace.Backoff;
import io.muster.agent.pace.ChangeSignal;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.SavePlan;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The checkpoints of one attempt on this node. The trainer waits only until its bytes are in a slot; reserving, storing,
 * verifying and reporting go on behind it, and are tried again for ever while store or service are away. A fence ends
 * all of it for this attempt; a damaged slot or a final refusal ends that step. Once sealed no save begins; those that
 * are still filling a slot come to their end before it is decided what can never be whole.
 */
public final class CheckpointPath {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointPath.class);
    private static final Duration ASK_AGAIN = Duration.ofMillis(250);

    /** What a rank that wants to save is told. */
    public sealed interface SaveOutcome {

        record Held() implements SaveOutcome {}

        record Refused(String code, String message) implements SaveOutcome {}
    }

    private final Assignment assignment;
    private final GangTask task;
    private final CheckpointPlan plan;
    private final Slots slots;
    private final StepBook book;
    private final ShardStore store;
    private final CheckpointCalls calls;
    private final RandomGenerator random;
    private final long maxShardBytes;
    private final ChangeSignal wake = new ChangeSignal();
    private final Map<Long, Backoff> backoffs = new HashMap<>();
    private final Map<Long, Long> notBefore = new HashMap<>();
    private boolean fenced;
    private boolean sealed;
    private int filling;
    private volatile boolean closed;

    /** Shared by all attempts of the agent. */
    public record Means(
            ShardStore store, CheckpointCalls calls, RandomGenerator random, JsonMapper json, long maxShardBytes) {}

    private CheckpointPath(Assignment assignment, GangTask task, CheckpointPlan plan, Slots slots, Means means) {
        this.assignment = assignment;
        this.task = task;
        this.plan = plan;
        this.slots = slots;
        this.book = new StepBook(task.processesPerNode());
        this.store = means.store();
        this.calls = means.calls();
        this.random = means.random();
        this.maxShardBytes = means.maxShardBytes();
    }

    /** Opens the slots below {@code folder}, with what an earlier life of this agent had staged there. */
    public static CheckpointPath open(
            Assignment assignment, GangTask task, CheckpointPlan plan, Path folder, Means means) throws IOException {
        Slots slots = new Slots(folder, means.json());
        CheckpointPath path = new CheckpointPath(assignment, task, plan, slots, means);
        slots.reload(task.nodeRank() * task.processesPerNode(), task.processesPerNode())
                .forEach(shard -> path.book.staged(shard).forEach(path::free));
        Thread.ofPlatform().daemon().name("checkpoints-" + assignment.jobId()).start(path::workUntilClosed);
        return path;
    }

    public SaveOutcome save(int rank, long step, long bytes, ReadableByteChannel payload) throws IOException {
        String slot;
        synchronized (this) {
            if (fenced) {
                return new SaveOutcome.Refused(
                        "FENCED",
                        "a later attempt of this job has begun; attempt " + assignment.attempt()
                                + " saves nothing any more");
            }
            if (bytes > maxShardBytes) {
                return new SaveOutcome.Refused(
                        "TOO_LARGE", "the shard has " + bytes + " bytes, at most " + maxShardBytes + " are taken");
            }
            if (sealed) {
                return new SaveOutcome.Refused(
                        "BUSY", "attempt " + assignment.attempt() + " is being ended; it saves nothing any more");
            }
            if (book.has(rank, step) || book.hasEnded(step)) {
                return new SaveOutcome.Held();
            }
            var claimed = slots.claim(rank);
            if (claimed.isEmpty()) {
                return new SaveOutcome.Refused(
                        "BUSY",
                        "both slots of rank " + rank + " hold older shards that are not stored yet; step " + step
                                + " is skipped");
            }
            slot = claimed.get();
            filling++;
        }
        try {
            Staged staged = slots.fill(rank, slot, step, payload);
            synchronized (this) {
                book.staged(staged).forEach(this::free);
            }
            return new SaveOutcome.Held();
        } finally {
            filled();
        }
    }

    private synchronized void filled() {
        filling--;
        giveUpWhatCannotBeWhole();
        wake.raise();
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
        return switch (calls.plan(assignment.jobId(), assignment.attempt(), step, plan.everySeconds())) {
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
        wake.raise();
    }

    private synchronized void giveUpWhatCannotBeWhole() {
        if (sealed && filling == 0) {
            book.seal().forEach(this::free);
        }
    }

    /** Whether nothing is only in slots any more. */
    public synchronized boolean drained() {
        return filling == 0 && !book.holdsUnsafe();
    }

    public void close() {
        closed = true;
        wake.raise();
    }

    private void workUntilClosed() {
        while (!closed) {
            try {
                List<Work> due;
                synchronized (this) {
                    long now = System.nanoTime();
                    due = book.work().stream()
                            .filter(work -> now - notBefore.getOrDefault(step(work), now) >= 0)
                            .toList();
                }
                boolean progress = false;
                for (Work work : due) {
                    progress |= !closed && advance(work);
                }
                if (!progress) {
                    wake.await(Duration.ofMillis(100));
                }
            } catch (RuntimeException bug) {
                LOG.error("checkpoint work of {} failed; it goes on", assignment.jobId(), bug);
                wake.await(Duration.ofSeconds(1));
            }
        }
    }

    private static long step(Work work) {
        return switch (work) {
            case Work.Reserve reserve -> reserve.step();
            case Work.Store one -> one.step();
            case Work.Report report -> report.step();
        };
    }

    /** True if the step came nearer to its end. */
    private boolean advance(Work work) {
        return switch (work) {
            case Work.Reserve reserve -> reserve(reserve.step());
            case Work.Store one -> store(one);
            case Work.Report report -> report(report);
        };
    }

    private boolean reserve(long step) {
        ReserveCheckpoint request =
                new ReserveCheckpoint(assignment.jobId(), assignment.attempt(), step, task.worldSize());
        return switch (calls.reserve(request)) {
            case Answer.Ok<ReserveAnswer> ok -> reserved(step, ok.body());
            case Answer.Refused<ReserveAnswer> refused -> refused(step, refused);
            case Answer.Unreachable<ReserveAnswer> away -> later(step, away.why());
        };
    }

    private boolean reserved(long step, ReserveAnswer answer) {
        CheckpointId checkpoint = answer.checkpointId();
        if (checkpoint == null && answer.retryable()) {
            return later(step, "not reserved: " + answer.refusal());
        }
        if (checkpoint == null) {
            return abandon(step, "not reserved: " + answer.refusal());
        }
        return done(step, () -> book.reserved(step, checkpoint));
    }

    private boolean store(Work.Store work) {
        try {
            Path folder = Path.of("checkpoints", plan.folder())
                    .resolve(task.tenant().value())
                    .resolve(assignment.jobId().value())
                    .resolve(work.checkpoint().value());
            Staged shard = work.shard();
            StoredShard stored =
                    store.store(slots.file(shard.rank(), shard.slot()), shard.sha256(), shard.rank(), folder);
            return done(work.step(), () -> book.stored(work.step(), stored));
        } catch (ShardStore.DamagedSlot damaged) {
            return abandon(work.step(), String.valueOf(damaged.getMessage()));
        } catch (IOException away) {
            return later(work.step(), "store: " + away.getClass().getSimpleName() + " " + away.getMessage());
        }
    }

    private boolean report(Work.Report work) {
        ReportShards request = new ReportShards(assignment.jobId(), assignment.attempt(), work.step(), work.shards());
        return switch (calls.report(work.checkpoint(), request)) {
            case Answer.Ok<ShardsAnswer> ok -> reported(work.step(), ok.body());
            case Answer.Refused<ShardsAnswer> refused -> refused(work.step(), refused);
            case Answer.Unreachable<ShardsAnswer> away -> later(work.step(), away.why());
        };
    }

    private synchronized boolean reported(long step, ShardsAnswer answer) {
        return switch (answer.phase()) {
            case ABANDONED, EXPIRED, CORRUPT -> abandon(step, "checkpoint-service says " + answer.phase());
            case RESERVED, STAGED, LOCAL, COMMITTED -> {
                boolean committed = answer.phase() == CheckpointPhase.COMMITTED;
                book.reported(step, committed).forEach(this::free);
                backoffs.remove(step);
                notBefore.put(step, System.nanoTime() + ASK_AGAIN.toNanos());
                if (committed) {
                    notBefore.remove(step);
                    LOG.info("committed job={} step={} checkpoint={}", assignment.jobId(), step, answer.checkpointId());
                }
                yield committed;
            }
        };
    }

    private synchronized boolean refused(long step, Answer.Refused<?> refused) {
        if (refused.code().equals("FENCED")) {
            LOG.info("fenced job={} attempt={}: {}", assignment.jobId(), assignment.attempt(), refused.detail());
            fenced = true;
            book.abandonAll().forEach(this::free);
            return true;
        }
        return refused.transientRefusal() || refused.unauthorized()
                ? later(step, refused.status() + " " + refused.detail())
                : abandon(step, refused.status() + " " + refused.detail());
    }

    private synchronized boolean done(long step, Runnable note) {
        if (!fenced) {
            note.run();
        }
        backoffs.remove(step);
        notBefore.remove(step);
        return true;
    }

    private synchronized boolean later(long step, String why) {
        if (book.phase(step).isEmpty() || book.hasEnded(step)) {
            return ended(step);
        }
        Backoff backoff = backoffs.computeIfAbsent(step, any -> {
            LOG.warn("checkpoint waits job={} step={}: {}", assignment.jobId(), step, why);
            return new Backoff(random, Duration.ofMillis(200), Duration.ofSeconds(5));
        });
        notBefore.put(step, System.nanoTime() + backoff.next().toNanos());
        return false;
    }

    private synchronized boolean abandon(long step, String why) {
        LOG.warn("checkpoint abandoned job={} step={}: {}", assignment.jobId(), step, why);
        book.abandon(step).forEach(this::free);
        return ended(step);
    }

    private synchronized boolean ended(long step) {
        backoffs.remove(step);
        notBefore.remove(step);
        return true;
    }

    private void free(Staged shard) {
        slots.free(shard.rank(), shard.slot());
    }
}

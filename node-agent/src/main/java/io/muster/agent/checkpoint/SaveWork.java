package io.muster.agent.checkpoint;

import io.muster.agent.checkpoint.Lane.Outcome;
import io.muster.agent.checkpoint.StepBook.Work;
import io.muster.agent.http.Answer;
import io.muster.agent.memory.HeldShard;
import io.muster.agent.peer.PeerCalls;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the steps of an attempt to their end behind the trainer, in three lanes: what is said to checkpoint-service,
 * what is copied to the peer, what is stored. Whatever is away is tried again for ever. A fence ends every step that is
 * not committed; a damaged shard or a final refusal ends its own step. Of a committed step only the storing can still
 * fail, and that loses nothing that was promised.
 */
final class SaveWork {

    private static final Logger LOG = LoggerFactory.getLogger(SaveWork.class);
    private static final Outcome IS_IT_DURABLE = new Outcome.NotYet(Duration.ofSeconds(1));

    private final CheckpointPath path;
    private final Assignment assignment;
    private final GangTask task;
    private final CheckpointPlan plan;
    private final Optional<GangMember> peer;
    private final StepBook book;
    private final CheckpointPath.Means means;
    private final Lane talking;
    private final Lane copying;
    private final Lane storing;
    private volatile boolean fenced;

    /** @param path its monitor guards the book */
    SaveWork(
            CheckpointPath path,
            Assignment assignment,
            GangTask task,
            CheckpointPlan plan,
            Optional<GangMember> peer,
            StepBook book,
            CheckpointPath.Means means) {
        this.path = path;
        this.assignment = assignment;
        this.task = task;
        this.plan = plan;
        this.peer = peer;
        this.book = book;
        this.means = means;
        String name = assignment.jobId() + "/" + assignment.attempt();
        this.talking = new Lane("commit-" + name, means.random(), locked(book::toTell), this::advance);
        this.copying = new Lane("copy-" + name, means.random(), locked(book::toCopy), this::advance);
        this.storing = new Lane("store-" + name, means.random(), locked(book::toStore), this::advance);
    }

    private Supplier<List<Work>> locked(Supplier<List<Work>> question) {
        return () -> {
            synchronized (path) {
                return question.get();
            }
        };
    }

    void start() {
        talking.start();
        storing.start();
        if (peer.isPresent()) {
            copying.start();
        }
    }

    void wake() {
        talking.wake();
        copying.wake();
        storing.wake();
    }

    void close() {
        talking.close();
        copying.close();
        storing.close();
    }

    boolean isFenced() {
        return fenced;
    }

    private Outcome advance(Work work) {
        return switch (work) {
            case Work.Reserve reserve -> reserve(reserve.step());
            case Work.Report report -> report(report);
            case Work.Copy copy -> copy(copy);
            case Work.Store one -> store(one);
        };
    }

    private Outcome reserve(long step) {
        ReserveCheckpoint request =
                new ReserveCheckpoint(assignment.jobId(), assignment.attempt(), step, task.worldSize());
        return switch (means.calls().reserve(request)) {
            case Answer.Ok<ReserveAnswer> ok -> reserved(step, ok.body());
            case Answer.Refused<ReserveAnswer> refused -> refused(step, refused);
            case Answer.Unreachable<ReserveAnswer> away -> new Outcome.Later(away.why());
        };
    }

    private Outcome reserved(long step, ReserveAnswer answer) {
        CheckpointId checkpoint = answer.checkpointId();
        if (checkpoint != null) {
            return noted(step, () -> book.reserved(step, checkpoint));
        }
        String why = "not reserved: " + answer.refusal();
        return answer.retryable() ? new Outcome.Later(why) : abandon(step, why);
    }

    private Outcome report(Work.Report report) {
        ReportShards request =
                new ReportShards(assignment.jobId(), assignment.attempt(), report.step(), report.shards());
        return switch (means.calls().report(report.checkpoint(), request)) {
            case Answer.Ok<ShardsAnswer> ok -> reported(report, ok.body());
            case Answer.Refused<ShardsAnswer> refused -> refused(report.step(), refused);
            case Answer.Unreachable<ShardsAnswer> away -> new Outcome.Later(away.why());
        };
    }

    private Outcome reported(Work.Report report, ShardsAnswer answer) {
        return switch (answer.phase()) {
            case ABANDONED, EXPIRED, CORRUPT -> abandon(report.step(), "checkpoint-service says " + answer.phase());
            case RESERVED, STAGED, LOCAL, COMMITTED -> {
                boolean committed = answer.phase() == CheckpointPhase.COMMITTED;
                boolean fresh;
                synchronized (path) {
                    fresh = committed && book.phase(report.step()).stream().noneMatch(StepBook.Phase.COMMITTED::equals);
                    path.drop(book.reported(report.step(), report.shards(), committed ? durability(answer) : null));
                    path.pin();
                }
                if (fresh) {
                    means.memory()
                            .committed(assignment.jobId(), assignment.attempt(), report.step(), report.checkpoint());
                    LOG.info(
                            "committed job={} step={} checkpoint={} durability={}",
                            assignment.jobId(),
                            report.step(),
                            report.checkpoint(),
                            answer.durability());
                }
                yield outcome(report.step(), committed);
            }
        };
    }

    private static Durability durability(ShardsAnswer answer) {
        return answer.durability() == Durability.DURABLE ? Durability.DURABLE : Durability.PEER;
    }

    /** Of a commit it is asked again, more slowly, whether it has become DURABLE. */
    private Outcome outcome(long step, boolean committed) {
        if (!committed) {
            return Lane.NOT_YET;
        }
        synchronized (path) {
            return book.isTold(step) ? IS_IT_DURABLE : Lane.DONE;
        }
    }

    private Outcome copy(Work.Copy work) {
        HeldShard shard = work.shard();
        try {
            PeerCalls.Party party = new PeerCalls.Party(assignment.jobId(), assignment.attempt(), task.peerKey());
            means.peers().keep(party, peer.orElseThrow(), shard, work.keptSteps());
            return noted(shard.step(), () -> book.copied(shard));
        } catch (IOException notKept) {
            if (!means.memory().holds(shard)) {
                return lost(shard);
            }
            synchronized (path) {
                book.copyTried(shard);
            }
            storing.wake();
            return new Outcome.Later("no copy at the peer: " + notKept.getMessage());
        }
    }

    private Outcome store(Work.Store work) {
        HeldShard shard = work.shard();
        try {
            Path folder = Path.of(ShardStore.FOLDER, plan.folder())
                    .resolve(task.tenant().value())
                    .resolve(assignment.jobId().value())
                    .resolve(work.checkpoint().value());
            StoredShard stored =
                    means.store().store(() -> means.memory().open(shard), shard.sha256(), shard.rank(), folder);
            return noted(shard.step(), () -> book.stored(shard, String.valueOf(stored.path())));
        } catch (ShardStore.DamagedSlot damaged) {
            return abandon(shard.step(), String.valueOf(damaged.getMessage()));
        } catch (IOException away) {
            return means.memory().holds(shard)
                    ? new Outcome.Later("store: " + away.getClass().getSimpleName() + " " + away.getMessage())
                    : lost(shard);
        }
    }

    /** Memory has given it up for something newer. */
    private Outcome lost(HeldShard shard) {
        synchronized (path) {
            book.dropped(shard);
            boolean stored = book.isStored(shard);
            return stored ? Lane.DONE : abandon(shard.step(), "memory holds it no longer");
        }
    }

    private Outcome refused(long step, Answer.Refused<?> refused) {
        if (refused.code().equals("FENCED")) {
            LOG.info("fenced job={} attempt={}: {}", assignment.jobId(), assignment.attempt(), refused.detail());
            fenced = true;
            synchronized (path) {
                path.drop(book.fence());
            }
            return abandon(step, "fenced");
        }
        return refused.transientRefusal() || refused.unauthorized()
                ? new Outcome.Later(refused.status() + " " + refused.detail())
                : abandon(step, refused.status() + " " + refused.detail());
    }

    private Outcome noted(long step, Runnable note) {
        synchronized (path) {
            note.run();
        }
        talking.hurry(step);
        storing.wake();
        return Lane.DONE;
    }

    private Outcome abandon(long step, String why) {
        LOG.warn("checkpoint ends here job={} step={}: {}", assignment.jobId(), step, why);
        synchronized (path) {
            path.drop(book.abandon(step));
            path.pin();
        }
        return Lane.DONE;
    }
}

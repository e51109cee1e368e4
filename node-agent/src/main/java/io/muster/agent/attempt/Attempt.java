package io.muster.agent.attempt;

import io.muster.agent.attempt.AttemptRecord.Rank;
import io.muster.agent.checks.NodeChecks.Preflight;
import io.muster.agent.process.AttemptProcesses;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Rendezvous;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt on this node.
 *
 * <pre>
 * RECEIVED → PREFLIGHT → PREFLIGHT_PASSED → STARTING → RUNNING → EXITED
 *                     ↘ PREFLIGHT_FAILED                            any of them → STOPPING → GONE
 * </pre>
 *
 * Nothing leads back and nothing starts a rank twice. STOPPING ends only in GONE, and GONE only when no process of the
 * attempt is alive, however long that takes. Every step is kept on disk before it is told, so that the agent's next life
 * goes on from it: a preflight is done again, running ranks are adopted, a launch cut in half is ended.
 */
public final class Attempt {

    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final Duration CUT_OFF_GRACE = Duration.ofSeconds(1);

    private final AttemptKey key;
    private final Tools tools;
    private final AttemptRecords records;
    private final AttemptFolder folder;
    private final RankCrew crew;
    private final AttemptProcesses processes;
    private final Outflow outflow;
    private final RankVoices voices = new RankVoices(this::heard);
    private final Examination examination = new Examination();
    private Assignment assignment;
    private MemberPhase phase;
    private List<Rank> ranks = List.of();
    private @Nullable ExitCause stopping;
    private boolean finishing;

    private Attempt(Assignment assignment, MemberPhase phase, Tools tools, AttemptRecords records) {
        this.key = AttemptKey.of(assignment);
        this.assignment = assignment;
        this.phase = phase;
        this.tools = tools;
        this.records = records;
        this.folder = new AttemptFolder(tools.settings(), key);
        this.crew = new RankCrew(tools, folder);
        this.processes = new AttemptProcesses(tools.table(), tools.kernel(), tools.orphans(), folder.nodesFile());
        this.outflow = new Outflow(tools, folder, crew);
    }

    static Attempt received(Assignment assignment, Tools tools, AttemptRecords records) {
        return new Attempt(assignment, MemberPhase.RECEIVED, tools, records);
    }

    /** RUN for an attempt of which nothing is known here: its ranks are lost; starting others in their place is not ours. */
    static Attempt lost(Assignment assignment, GangTask task, Tools tools, AttemptRecords records) {
        Attempt attempt = new Attempt(assignment, MemberPhase.EXITED, tools, records);
        attempt.ranks = attempt.crew.lost(task);
        attempt.keep();
        return attempt;
    }

    /** Goes on with what an earlier life of this agent had begun. */
    static Attempt resumed(AttemptRecord record, Tools tools, AttemptRecords records) {
        Attempt attempt = new Attempt(record.assignment(), record.phase(), tools, records);
        attempt.examination.recall(record);
        attempt.ranks = record.ranks();
        attempt.voices.recall(record);
        attempt.stopping = record.stopping();
        for (Rank rank : record.ranks()) {
            attempt.processes.add(rank.pid(), rank.startTicks());
        }
        attempt.resume();
        return attempt;
    }

    public AttemptKey key() {
        return key;
    }

    public synchronized MemberPhase phase() {
        return phase;
    }

    /** Between SIGTERM and SIGKILL; of an attempt that nothing is known of, 5 s. */
    synchronized Duration grace() {
        GangTask task = assignment.task();
        return Duration.ofSeconds(task == null ? 5 : Math.max(0, task.stopGraceSeconds()));
    }

    /** What it was given here; null if its order did not say. */
    public synchronized @Nullable List<Integer> gpus() {
        GangTask task = assignment.task();
        return task == null ? null : task.gpus();
    }

    synchronized Optional<GangTask> task() {
        return Optional.ofNullable(assignment.task());
    }

    Path nodesFile() {
        return folder.nodesFile();
    }

    private synchronized void resume() {
        GangTask task = assignment.task();
        switch (phase) {
            case RECEIVED, PREFLIGHT -> preflight();
            case PREFLIGHT_PASSED, PREFLIGHT_FAILED -> LOG.info("resumed {} in {}", key, phase);
            case STARTING -> {
                LOG.warn("{} was cut off while its ranks were started; they are ended", key);
                ranks = task == null ? List.of() : crew.lost(task);
                storeWhatIsLeft(task);
                stop(ExitCause.AGENT_DOWN, CUT_OFF_GRACE);
            }
            case RUNNING, EXITED -> adopt(task);
            case STOPPING -> {
                storeWhatIsLeft(task);
                endProcesses(CUT_OFF_GRACE);
            }
            case GONE -> storeWhatIsLeft(task);
        }
    }

    /** Output and shards that were not stored yet when the agent's earlier life ended. */
    private void storeWhatIsLeft(@Nullable GangTask task) {
        if (task != null && !ranks.isEmpty()) {
            outflow.reopenSealed(assignment, task);
        }
        LOG.info("resumed {} in {}", key, phase);
    }

    private void adopt(@Nullable GangTask task) {
        if (task == null) {
            return;
        }
        try {
            outflow.open(assignment, task, voices);
        } catch (IOException broken) {
            LOG.error("socket of adopted {} cannot be served: {}; its ranks run without", key, broken.toString());
            outflow.reopenSealed(assignment, task);
        }
        LOG.info("adopted {} with {} ranks", key, ranks.size());
        look();
    }

    /** Runs the preflight on a thread of its own; once for each life of the agent. */
    synchronized void preflight() {
        GangTask task = assignment.task();
        if (task == null
                || (phase != MemberPhase.RECEIVED && phase != MemberPhase.PREFLIGHT)
                || examination.isBegun()) {
            return;
        }
        to(MemberPhase.PREFLIGHT);
        examination.begin(key, () -> examine(task));
    }

    private void examine(GangTask task) {
        try {
            Preflight found = tools.examiner().preflight(assignment, task);
            examined(task, found);
            tools.courier().tell(assignment, task, found);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            LOG.error("preflight of {} failed; it counts as not passed", key, bug);
            examined(
                    task,
                    Preflight.impossible(
                            "the preflight itself failed: " + bug, tools.clock().instant()));
        }
    }

    private synchronized void examined(GangTask task, Preflight found) {
        if (phase != MemberPhase.PREFLIGHT) {
            return;
        }
        boolean passed = examination.passes(
                key, found, task.nodeRank() == 0, tools.settings().address());
        to(passed ? MemberPhase.PREFLIGHT_PASSED : MemberPhase.PREFLIGHT_FAILED);
    }

    /** Starts the ranks; only a passed preflight leads here, and only once. */
    synchronized void run(Assignment order) {
        GangTask task = order.task();
        Rendezvous rendezvous = task == null ? null : task.rendezvous();
        if (phase != MemberPhase.PREFLIGHT_PASSED || task == null || rendezvous == null) {
            return;
        }
        assignment = order;
        to(MemberPhase.STARTING);
        Thread.ofPlatform().daemon().name("launch-" + key).start(() -> launch(task, rendezvous));
    }

    private synchronized void launch(GangTask task, Rendezvous rendezvous) {
        if (phase != MemberPhase.STARTING) {
            return;
        }
        examination.releasePort();
        List<Rank> started = new ArrayList<>();
        String obstacle = open(task);
        for (int process = 0; process < RankCrew.processes(task); process++) {
            Rank rank = obstacle == null
                    ? crew.start(assignment, task, rendezvous, process)
                    : crew.notStarted(task, process, obstacle);
            if (rank.pid() != 0) {
                processes.add(rank.pid(), rank.startTicks());
            }
            started.add(rank);
        }
        ranks = List.copyOf(started);
        to(MemberPhase.RUNNING);
    }

    /** Everything a rank needs before it starts; what stands in the way, or null. */
    private @Nullable String open(GangTask task) {
        try {
            folder.prepare(task, tools.json());
            outflow.open(assignment, task, voices);
            return null;
        } catch (IOException broken) {
            LOG.error("{} cannot be started: {}", key, broken.toString());
            return "the agent could not prepare the attempt's folder: " + broken.getMessage();
        }
    }

    /** Takes notice of processes that have ended. */
    synchronized void look() {
        boolean found = false;
        List<Rank> now = new ArrayList<>();
        for (Rank rank : ranks) {
            Rank seen = crew.look(rank, stopping);
            found |= seen != rank;
            now.add(seen);
        }
        if (found) {
            ranks = List.copyOf(now);
            keep();
            tools.changed().run();
        }
        boolean ended = ranks.stream().allMatch(rank -> rank.exit() != null);
        if (phase == MemberPhase.RUNNING && ended && !finishing) {
            finishing = true;
            Thread.ofPlatform().daemon().name("finish-" + key).start(this::finish);
        }
    }

    private void finish() {
        outflow.flush();
        synchronized (this) {
            if (phase == MemberPhase.RUNNING) {
                to(MemberPhase.EXITED);
            }
        }
    }

    /** Remembers processes that ranks have started, so that none can hide later. */
    void track() {
        if (phase() == MemberPhase.RUNNING) {
            processes.track();
        }
    }

    /** Ends every process of the attempt; final. Exits that happened before keep their cause. */
    public synchronized void stop(ExitCause why, Duration grace) {
        if (phase == MemberPhase.STOPPING || phase == MemberPhase.GONE) {
            return;
        }
        look();
        stopping = why;
        LOG.info("stopping {} in {} cause={} graceMillis={}", key, phase, why, grace.toMillis());
        to(MemberPhase.STOPPING);
        examination.interrupt();
        endProcesses(grace);
    }

    private void endProcesses(Duration grace) {
        examination.releasePort();
        Thread.ofPlatform().daemon().name("end-" + key).start(() -> {
            try {
                processes.endForSure(grace);
                gone();
            } catch (InterruptedException agentEnds) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void gone() {
        look();
        outflow.seal();
        outflow.flush();
        synchronized (this) {
            to(MemberPhase.GONE);
        }
    }

    /** Whether nothing of a gone attempt is still on its way to the store. */
    public boolean settled() {
        return phase() == MemberPhase.GONE && outflow.settled();
    }

    /** Removes what is left of a gone attempt. */
    synchronized void forget() {
        outflow.close();
        try {
            folder.remove();
            records.remove(key);
        } catch (IOException stuck) {
            LOG.warn("folder of {} cannot be removed: {}", key, stuck.getMessage());
        }
    }

    private void to(MemberPhase next) {
        phase = next;
        keep();
        LOG.info("attempt {} is {}", key, next);
        tools.changed().run();
    }

    private void keep() {
        records.keep(new AttemptRecord(
                assignment,
                phase,
                examination.offeredMasterPort(),
                examination.checks(),
                ranks,
                voices.ready(),
                voices.progress(),
                voices.result(),
                stopping,
                examination.damaged()));
    }

    private synchronized void heard() {
        keep();
        tools.changed().run();
    }

    public synchronized AttemptReport report() {
        return new AttemptReport(
                key.job(),
                key.attempt(),
                phase,
                examination.offeredMasterPort(),
                phase == MemberPhase.RUNNING ? RankCrew.allAlive(ranks) : null,
                examination.checks(),
                RankCrew.told(ranks, assignment.task(), voices),
                voices.progress(),
                voices.result(),
                examination.damaged());
    }
}

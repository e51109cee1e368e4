package io.muster.agent.attempt;

import io.muster.agent.attempt.AttemptRecord.Rank;
import io.muster.agent.logs.LogTail;
import io.muster.agent.process.ExitReading;
import io.muster.agent.process.Kernel;
import io.muster.agent.process.ProcessEntry;
import io.muster.agent.process.RankEnvironment;
import io.muster.agent.process.RankLauncher;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.EnvProfile;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import io.muster.contract.agent.Rendezvous;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the processes of an attempt on this node and reads how each ended. Keeps no state. */
final class RankCrew {

    private static final Logger LOG = LoggerFactory.getLogger(RankCrew.class);
    private static final int KILLED = 128 + 9;
    private static final int NOT_STARTED = 127;

    private final Tools tools;
    private final AttemptFolder folder;

    RankCrew(Tools tools, AttemptFolder folder) {
        this.tools = tools;
        this.folder = folder;
    }

    static int processes(GangTask task) {
        return task.launch().envProfile() == EnvProfile.DIRECT ? task.processesPerNode() : 1;
    }

    static int rank(GangTask task, int process) {
        return task.nodeRank() * task.processesPerNode() + process;
    }

    /** Where each process writes its output. */
    List<Path> logs(GangTask task) {
        List<Path> logs = new ArrayList<>();
        for (int process = 0; process < processes(task); process++) {
            logs.add(folder.log(rank(task, process)));
        }
        return logs;
    }

    Path storedLog(Assignment assignment, GangTask task, int process) {
        return tools.settings()
                .storeRoot()
                .resolve(Path.of(
                        "logs",
                        task.tenant().value(),
                        assignment.jobId().value(),
                        Integer.toString(assignment.attempt()),
                        "rank-" + rank(task, process) + ".log"));
    }

    /** A process that cannot be started is a rank that has ended with START_FAILED; it does not keep others from starting. */
    Rank start(Assignment assignment, GangTask task, Rendezvous rendezvous, int process) {
        int rank = rank(task, process);
        long memoryKills = tools.memoryKills().getAsLong();
        try {
            RankEnvironment.Place place = new RankEnvironment.Place(
                    tools.settings().node(),
                    tools.settings().address(),
                    folder.path(),
                    folder.nodesFile(),
                    folder.socket(),
                    tools.settings().clientPythonPath());
            String workingDir = task.launch().workingDir();
            ProcessEntry started = tools.launcher()
                    .start(new RankLauncher.Order(
                            Stream.concat(task.launch().command().stream(), task.launch().args().stream())
                                    .toList(),
                            RankEnvironment.of(assignment, task, rendezvous, process, place),
                            workingDir == null ? folder.path() : Path.of(workingDir),
                            folder.log(rank),
                            folder.exitFile(rank)));
            LOG.info(
                    "rank started job={} attempt={} rank={} pid={}",
                    assignment.jobId(),
                    assignment.attempt(),
                    rank,
                    started.pid());
            return new Rank(
                    rank,
                    process,
                    started.pid(),
                    started.startTicks(),
                    tools.clock().instant(),
                    memoryKills,
                    tools.machineLife(),
                    null);
        } catch (IOException broken) {
            return notStarted(task, process, String.valueOf(broken.getMessage()));
        }
    }

    Rank notStarted(GangTask task, int process, String why) {
        RankExit exit = new RankExit(
                NOT_STARTED, null, ExitCause.START_FAILED, why, tools.clock().instant());
        return new Rank(rank(task, process), process, 0, 0, tools.clock().instant(), 0, tools.machineLife(), exit);
    }

    /** Processes of which this node knows nothing any more, though it was told to have started them. */
    List<Rank> lost(GangTask task) {
        RankExit exit = new RankExit(
                KILLED,
                9,
                ExitCause.AGENT_DOWN,
                "the agent of " + tools.settings().node() + " has lost its record of this attempt",
                tools.clock().instant());
        List<Rank> lost = new ArrayList<>();
        for (int process = 0; process < processes(task); process++) {
            lost.add(new Rank(
                    rank(task, process), process, 0, 0, tools.clock().instant(), 0, tools.machineLife(), exit));
        }
        return lost;
    }

    /** The rank as it is now: with its exit if its process is gone. */
    Rank look(Rank rank, @Nullable ExitCause stopping) {
        if (rank.exit() != null || tools.table().alive(rank.pid(), rank.startTicks())) {
            return rank;
        }
        Optional<Integer> written = folder.exitCode(rank.rank());
        if (written.isEmpty()
                && rank.machineLife() != null
                && !tools.machineLife().equals(rank.machineLife())) {
            return rank.ended(diedWithTheMachine());
        }
        int code = written.orElse(KILLED);
        ExitReading.Reading reading = ExitReading.read(new ExitReading.Evidence(
                code,
                LogTail.read(folder.log(rank.rank())),
                stopping,
                tools.memoryKills().getAsLong() > rank.memoryKillsBefore()));
        LOG.info("rank ended rank={} pid={} code={} cause={}", rank.rank(), rank.pid(), code, reading.cause());
        return rank.ended(new RankExit(
                code,
                reading.signal(),
                reading.cause(),
                reading.lastLine(),
                tools.clock().instant()));
    }

    /** It ended in an earlier life of the machine and nobody saw how: the machine took it along. */
    private RankExit diedWithTheMachine() {
        return new RankExit(
                KILLED,
                Kernel.KILL,
                ExitCause.AGENT_DOWN,
                "node " + tools.settings().node() + " was started anew while this rank ran",
                tools.clock().instant());
    }

    /** Since when all of them have been alive; null if one is not. */
    static @Nullable Instant allAlive(List<Rank> ranks) {
        return ranks.stream().anyMatch(rank -> rank.exit() != null)
                ? null
                : ranks.stream()
                        .map(Rank::startedAt)
                        .max(Comparator.naturalOrder())
                        .orElse(null);
    }

    static List<RankReport> told(List<Rank> ranks, @Nullable GangTask task, RankVoices voices) {
        return ranks.stream()
                .map(rank -> new RankReport(
                        rank.rank(),
                        rank.localRank(),
                        rank.pid(),
                        rank.startedAt(),
                        voices.isReady(task, rank.rank()),
                        rank.exit()))
                .toList();
    }
}

package io.muster.agent.attempt;

import io.muster.agent.pace.StopSignal;
import io.muster.agent.peer.PeerDesk;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.id.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All attempts that this node knows, kept across restarts of the agent. */
public final class Attempts implements PeerDesk.Gangs {

    private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);
    private static final int TRACK_EVERY_LOOKS = 50;

    private final Tools tools;
    private final AttemptRecords records;
    private final Map<AttemptKey, Attempt> attempts = new ConcurrentSkipListMap<>();
    private final Map<JobId, String> keys = new ConcurrentSkipListMap<>();
    private volatile boolean ending;

    public Attempts(Tools tools) {
        this.tools = tools;
        this.records = new AttemptRecords(tools.settings().controlFolder(), tools.json());
    }

    /** Takes up what an earlier life of this agent left, and watches all attempts until the agent stops. */
    public void start(StopSignal stop) throws IOException {
        for (AttemptRecord record : records.all()) {
            learnKey(record.assignment());
            attempts.put(AttemptKey.of(record.assignment()), Attempt.resumed(record, tools, records));
        }
        Thread.ofPlatform().daemon().name("attempts").start(() -> watch(stop));
    }

    private void watch(StopSignal stop) {
        for (int look = 1; !stop.pause(LOOK_EVERY); look++) {
            boolean track = look % TRACK_EVERY_LOOKS == 0;
            if (track) {
                tools.orphans().reap();
            }
            for (Attempt attempt : attempts.values()) {
                try {
                    attempt.look();
                    if (track) {
                        attempt.track();
                    }
                } catch (RuntimeException bug) {
                    LOG.error("watching {} failed; it goes on", attempt.key(), bug);
                }
            }
        }
    }

    public List<Attempt> all() {
        return List.copyOf(attempts.values());
    }

    public boolean isEmpty() {
        return attempts.isEmpty();
    }

    /** A new attempt: its preflight begins. */
    public void begin(Assignment assignment) {
        learnKey(assignment);
        Attempt attempt = Attempt.received(assignment, tools, records);
        if (!ending && attempts.putIfAbsent(attempt.key(), attempt) == null) {
            attempt.preflight();
        }
    }

    public void run(Assignment assignment) {
        find(AttemptKey.of(assignment)).filter(attempt -> !ending).ifPresent(attempt -> attempt.run(assignment));
    }

    /** With the grace that the attempt's task names. */
    public void stop(AttemptKey key) {
        find(key).ifPresent(attempt -> attempt.stop(ExitCause.STOPPED, attempt.grace()));
    }

    /** An attempt that nothing is known of is to be gone: whatever of it is alive is ended before that is said. */
    public void confirmGone(Assignment assignment) {
        Attempt attempt = Attempt.received(assignment, tools, records);
        if (attempts.putIfAbsent(attempt.key(), attempt) == null) {
            attempt.stop(ExitCause.STOPPED, attempt.grace());
        }
    }

    public void declareLost(Assignment assignment, GangTask task) {
        attempts.computeIfAbsent(AttemptKey.of(assignment), key -> {
            LOG.error("{} is to run here but nothing is known of it; it is reported as lost", key);
            return Attempt.lost(assignment, task, tools, records);
        });
        tools.changed().run();
    }

    public void forget(AttemptKey key) {
        find(key).ifPresent(attempt -> {
            attempt.forget();
            attempts.remove(key);
        });
    }

    @Override
    public Optional<GangTask> task(JobId job, int attempt) {
        boolean overtaken =
                attempts.keySet().stream().anyMatch(other -> other.job().equals(job) && other.attempt() > attempt);
        return overtaken ? Optional.empty() : find(new AttemptKey(job, attempt)).flatMap(Attempt::task);
    }

    @Override
    public Optional<String> key(JobId job) {
        return Optional.ofNullable(keys.get(job));
    }

    /** Jobs of which an attempt is here; keys are kept of these and of those that have anything in memory. */
    public Set<JobId> jobsWithKeysOf(Set<JobId> held) {
        Set<JobId> here = jobs();
        keys.keySet().removeIf(job -> !held.contains(job) && !here.contains(job));
        return here;
    }

    private void learnKey(Assignment assignment) {
        GangTask task = assignment.task();
        if (task != null && !task.peerKey().isEmpty()) {
            keys.put(assignment.jobId(), task.peerKey());
        }
    }

    /** Jobs of which an attempt is here. */
    public Set<JobId> jobs() {
        return attempts.keySet().stream().map(AttemptKey::job).collect(Collectors.toSet());
    }

    private Optional<Attempt> find(AttemptKey key) {
        return Optional.ofNullable(attempts.get(key));
    }

    /** All exits that have happened by now are in it. */
    public List<AttemptReport> reports() {
        List<AttemptReport> reports = new ArrayList<>();
        for (Attempt attempt : attempts.values()) {
            try {
                attempt.look();
            } catch (RuntimeException bug) {
                LOG.error("looking at {} failed; it is reported as it was before", attempt.key(), bug);
            }
            reports.add(attempt.report());
        }
        return reports;
    }

    /** The marks of all attempts that are looked after here. */
    public Set<Path> lookedAfter() {
        return attempts.values().stream()
                .filter(attempt -> attempt.phase() != MemberPhase.GONE)
                .map(Attempt::nodesFile)
                .collect(Collectors.toSet());
    }

    /** Ends all ranks because the agent ends; true if every process was gone in time. Attempts without ranks stay as they are. */
    public boolean endAll(Duration grace, Duration limit, StopSignal never) {
        ending = true;
        long until = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < until) {
            List<Attempt> started = attempts.values().stream()
                    .filter(attempt -> attempt.phase().compareTo(MemberPhase.STARTING) >= 0)
                    .toList();
            started.forEach(attempt -> attempt.stop(ExitCause.AGENT_DOWN, grace));
            if (started.stream().allMatch(attempt -> attempt.phase() == MemberPhase.GONE)) {
                return true;
            }
            never.pause(Duration.ofMillis(20));
        }
        return false;
    }
}

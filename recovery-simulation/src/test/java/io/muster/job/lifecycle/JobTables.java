package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tables of job-service in memory: what its repositories do, without SQL. */
@SuppressWarnings("NullAway")
final class JobTables {

    private static final JdbcClient NO_SQL = null;

    final Table<JobId, JobStore.Stored> jobs;
    final Table<JobId, TreeMap<Integer, Attempt>> attempts;
    final Table<JobId, Instant> wakeAt;
    final Table<NodeId, Long> revisions;
    final Table<JobId, CheckpointState> commits;
    final Jobs store = new Jobs();
    final Wakes wakes = new Wakes();
    final Timeline timeline = new Timeline();
    final Desired desired = new Desired();
    final Commits views = new Commits();

    private final Database database;

    JobTables(Database database) {
        this.database = database;
        jobs = new Table<>(database);
        attempts = new Table<>(database);
        wakeAt = new Table<>(database);
        revisions = new Table<>(database);
        commits = new Table<>(database);
    }

    final class Jobs extends JobStore {

        private Jobs() {
            super(NO_SQL);
        }

        @Override
        Optional<Stored> lock(JobId id) {
            return find(id);
        }

        @Override
        Optional<Stored> find(JobId id) {
            return jobs.find(id);
        }

        @Override
        List<Attempt> attempts(JobId id) {
            return List.copyOf(attempts.find(id).orElseGet(TreeMap::new).values());
        }

        @Override
        boolean ranBefore(JobId id, int number) {
            return attempts(id).stream().anyMatch(attempt -> attempt.number() < number && attempt.rendezvous() != null);
        }

        @Override
        List<CheckpointId> damaged(JobId id) {
            return attempts(id).stream()
                    .flatMap(attempt -> attempt.members().stream())
                    .map(Member::damaged)
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
        }

        @Override
        void insert(Job job, String submittedSpec, String labels) {
            jobs.put(job.id(), new Stored(job, 1, 1));
        }

        @Override
        void update(Job before, Job job, long sequence, @Nullable Instant wake, @Nullable Instant endedAt) {
            Job.Status status = job.status();
            Job read = read(job, Job.Status.read(status.phase(), status.reason(), status.message(), status.since()));
            long version = Objects.requireNonNull(jobs.get(job.id())).rowVersion();
            jobs.put(job.id(), new Stored(read, sequence, version + 1));
            if (wake == null) {
                wakeAt.remove(job.id());
            } else {
                wakeAt.put(job.id(), wake);
            }
            Attempt attempt = job.attempt();
            if (attempt != null && !attempt.equals(before.attempt())) {
                save(job.id(), attempt);
            }
        }

        /** What is not kept is not read again. */
        private static Job read(Job job, Job.Status status) {
            return new Job(
                    job.head(),
                    status,
                    job.holding(),
                    job.runTime(),
                    job.restarts(),
                    job.attempt(),
                    job.progress(),
                    job.result(),
                    List.of());
        }

        private void save(JobId id, Attempt attempt) {
            TreeMap<Integer, Attempt> all = new TreeMap<>(attempts.find(id).orElseGet(TreeMap::new));
            all.put(attempt.number(), attempt);
            attempts.put(id, all);
        }
    }

    final class Wakes extends WakeStore {

        private Wakes() {
            super(NO_SQL);
        }

        @Override
        List<JobId> take(Instant now, int most, Duration lease) {
            List<JobId> due = wakeAt.rows().entrySet().stream()
                    .filter(entry -> !entry.getValue().isAfter(now))
                    .sorted(Map.Entry.comparingByValue())
                    .limit(most)
                    .map(Map.Entry::getKey)
                    .toList();
            database.writing(() -> due.forEach(job -> wakeAt.put(job, now.plus(lease))));
            return due;
        }

        @Override
        void again(JobId job, Instant at) {
            wakeAt.find(job)
                    .ifPresent(known -> database.writing(() -> wakeAt.put(job, known.isBefore(at) ? known : at)));
        }

        @Override
        void settle(JobId job, long rowVersion, @Nullable Instant next) {
            if (jobs.find(job)
                    .filter(stored -> stored.rowVersion() == rowVersion)
                    .isEmpty()) {
                return;
            }
            database.writing(() -> {
                if (next == null) {
                    wakeAt.remove(job);
                } else {
                    wakeAt.put(job, next);
                }
            });
        }
    }

    static final class Timeline extends TimelineStore {

        private Timeline() {
            super(NO_SQL);
        }

        @Override
        void begin(Job job) {
            // for people only
        }

        @Override
        void change(Job before, Job after, Instant now) {
            // for people only
        }
    }

    final class Desired extends DesiredStore {

        private Desired() {
            super(NO_SQL);
        }

        @Override
        Map<NodeId, Long> raise(List<NodeId> sortedNodes) {
            Map<NodeId, Long> raised = new TreeMap<>();
            for (NodeId node : sortedNodes) {
                revisions.put(node, revision(node) + 1);
                raised.put(node, revision(node));
            }
            return raised;
        }

        @Override
        long revision(NodeId node) {
            return revisions.find(node).orElse(0L);
        }

        @Override
        List<Asked> asked(NodeId node) {
            List<Asked> asked = new ArrayList<>();
            attempts.rows().forEach((job, all) -> {
                int newest = all.lastKey();
                for (Attempt attempt : all.values()) {
                    boolean here = attempt.stage() != AttemptStage.AWAITING_RESTORE
                            && attempt.members().stream()
                                    .anyMatch(member -> member.node().equals(node) && !member.gone());
                    if (here) {
                        asked.add(new Asked(
                                job, attempt.number(), attempt.place().generation(), attempt.number() == newest));
                    }
                }
            });
            return asked;
        }

        @Override
        List<JobId> lockKeeping(NodeId node) {
            return jobs.rows().values().stream()
                    .map(JobStore.Stored::job)
                    .filter(job -> liveOn(job, node) || keptBetweenAttempts(job, node))
                    .map(Job::id)
                    .toList();
        }

        private static boolean liveOn(Job job, NodeId node) {
            return job.live().stream()
                    .flatMap(attempt -> attempt.members().stream())
                    .anyMatch(member -> member.node().equals(node) && !member.gone());
        }

        private static boolean keptBetweenAttempts(Job job, NodeId node) {
            Gang gang = job.holding().gang();
            return job.phase() == JobPhase.RECOVERING
                    && gang != null
                    && gang.seats().stream().anyMatch(seat -> seat.node().equals(node));
        }

        @Override
        List<JobId> asking(NodeId node, long acknowledgedRevision) {
            return jobs.rows().values().stream()
                    .map(JobStore.Stored::job)
                    .filter(job -> !job.phase().ended() && job.attempt() != null)
                    .filter(job -> job.attemptOrThrow().members().stream()
                            .anyMatch(member -> member.node().equals(node)
                                    && !member.evidence().heard()
                                    && member.evidence().askedRevision() != null
                                    && member.evidence().askedRevision() <= acknowledgedRevision))
                    .map(Job::id)
                    .toList();
        }

        @Override
        List<JobId> lockShunning(NodeId node) {
            return jobs.rows().values().stream()
                    .map(JobStore.Stored::job)
                    .filter(job -> !job.phase().ended())
                    .filter(job -> job.holding().failedNodes().contains(node))
                    .map(Job::id)
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }

        @Override
        boolean confirmGone(NodeId node, JobId job, int number) {
            TreeMap<Integer, Attempt> all = attempts.find(job).orElseGet(TreeMap::new);
            Attempt attempt = all.get(number);
            boolean older = attempt != null && number < all.lastKey();
            if (!older
                    || attempt.members().stream()
                            .noneMatch(member -> member.node().equals(node) && !member.gone())) {
                return false;
            }
            TreeMap<Integer, Attempt> changed = new TreeMap<>(all);
            changed.put(
                    number, attempt.mapMembers(member -> member.node().equals(node) ? member.markedGone() : member));
            database.writing(() -> attempts.put(job, changed));
            return true;
        }
    }

    final class Commits extends CheckpointViews {

        private Commits() {
            super(NO_SQL, (feed, key) -> {});
        }

        @Override
        void put(CheckpointState state) {
            commits.put(state.jobId(), state);
        }

        @Override
        Optional<CheckpointState> find(JobId job) {
            return commits.find(job);
        }
    }
}

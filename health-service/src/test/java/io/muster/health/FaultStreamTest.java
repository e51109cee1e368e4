package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultState;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.job.JobPhase;
import io.muster.edge.identity.Role;
import io.muster.health.FaultEvents.Seen;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of faults over real HTTP, from two instances of the service on one database. */
class FaultStreamTest {

    private static RunningService first;
    private static RunningService second;
    private final List<TestJobs> jobs = new ArrayList<>();
    private final List<TestAgent> agents = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path keys) {
        String[] settings = {
            "--muster.streams.poll=50ms",
            "--muster.streams.idle-poll=50ms",
            "--muster.streams.heartbeat=300ms",
            // a lease that a busy machine does not miss
            "--muster.health.heartbeat=1s",
            "--muster.health.lease=4s"
        };
        first = RunningService.start(keys, "health_streams", settings);
        second = RunningService.start(keys, "health_streams", settings);
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    @AfterEach
    void forget() {
        agents.forEach(TestAgent::close);
        jobs.forEach(TestJobs::close);
    }

    private TestJobs job(String tenant) {
        TestJobs job = new TestJobs(tenant);
        jobs.add(job);
        return job;
    }

    /** A job on nodes of its own, of which health-service has heard. */
    private TestJobs starting(String tenant) {
        TestJobs job = job(tenant);
        job.placed(1, "s-" + job.job().value().replace('_', '-')).is(JobPhase.STARTING, "PREFLIGHT_RUNNING", 2, false);
        Eventually.holds("job heard of", () -> first.knowsJob(job.job()), job::job);
        return job;
    }

    private static void breaks(TestJobs job) {
        CheckpointId damaged = TestJobs.newCheckpoint();
        job.committed(damaged, List.of(damaged));
    }

    private static void runsAgain(TestJobs job) {
        job.is(JobPhase.RUNNING, "ALL_RANKS_UP", 3, false);
    }

    private static Predicate<FaultState> of(TestJobs job, FaultStatus status) {
        return fault -> fault.blastRadius().jobs().contains(job.job()) && fault.status() == status;
    }

    @Test
    void aListTellsWhatIsOpenAndThenEveryChange() {
        TestJobs known = starting("acme");
        breaks(known);
        try (FaultEvents before = new FaultEvents(first, Role.SRE, "?layer=CHECKPOINT", null)) {
            before.untilFault(of(known, FaultStatus.OPEN));
        }
        TestJobs later = starting("acme");
        try (FaultEvents open = new FaultEvents(second, Role.SRE, "?layer=CHECKPOINT&status=OPEN", null);
                FaultEvents nodes = new FaultEvents(first, Role.SRE, "?layer=NODE", null)) {
            List<Seen> now = open.untilSynced();
            nodes.untilSynced();
            assertThat(now.stream()
                            .limit(now.size() - 1)
                            .map(seen -> seen.fault().blastRadius().jobs()))
                    .contains(List.of(known.job()));
            breaks(later);
            assertThat(open.untilFault(of(later, FaultStatus.OPEN)).getLast().name())
                    .isEqualTo("fault");
            runsAgain(known);
            Seen over = open.untilFault(of(known, FaultStatus.RESOLVED)).getLast();
            assertThat(over.name()).as("not open any more").isEqualTo("left");
            assertThat(nodes.poll(300)).as("another layer").isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22})
    void whoeverIsCutOffAndComesBackToAnyInstanceMissesNothing(long seed) {
        Random random = new Random(seed);
        List<RunningService> both = List.of(first, second);
        List<TestJobs> mine = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            mine.add(starting("acme"));
        }
        List<JobId> ids = mine.stream().map(TestJobs::job).toList();
        Map<JobId, FaultStatus> told = new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
        Set<JobId> runAgain = new HashSet<>();
        FaultEvents reader = new FaultEvents(first, Role.VIEWER, "?limit=1", null);
        reader.untilSynced();
        try {
            for (int step = 0; step < 300 && !over(told, ids); step++) {
                if (step < mine.size()) {
                    breaks(mine.get(step));
                }
                // the topics of jobs and checkpoints have no common order: a job runs again when its fault is known
                mine.stream()
                        .filter(job -> told.get(job.job()) == FaultStatus.OPEN && runAgain.add(job.job()))
                        .forEach(FaultStreamTest::runsAgain);
                String lastId = reader.lastId();
                for (Seen seen = reader.poll(random.nextInt(300)); seen != null; seen = reader.poll(0)) {
                    note(seen, ids, told, seed);
                }
                if (random.nextInt(3) == 0) {
                    reader.close();
                    reader = new FaultEvents(both.get(random.nextInt(2)), Role.VIEWER, "?limit=1", lastId);
                }
            }
        } finally {
            reader.close();
        }
        assertThat(told.keySet()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(told.values()).as("seed %d", seed).containsOnly(FaultStatus.RESOLVED);
    }

    private static boolean over(Map<JobId, FaultStatus> told, List<JobId> ids) {
        return ids.stream().allMatch(id -> told.get(id) == FaultStatus.RESOLVED);
    }

    private static void note(Seen seen, List<JobId> ids, Map<JobId, FaultStatus> told, long seed) {
        if (!seen.name().equals("fault")) {
            return;
        }
        seen.fault().blastRadius().jobs().stream().filter(ids::contains).forEach(id -> {
            FaultStatus before = told.put(id, seen.fault().status());
            assertThat(before == FaultStatus.RESOLVED && seen.fault().status() == FaultStatus.OPEN)
                    .as("seed %d: %s goes back", seed, id)
                    .isFalse();
        });
    }

    @Test
    void aTenantIsToldOfItsOwnPartAndOfNoOthersFaults() {
        String lost = "stream-n1";
        String kept = "stream-n2";
        agents.add(new TestAgent(first.judges() ? first : second, lost, "sr1").lives(target -> false));
        agents.add(new TestAgent(first.judges() ? first : second, kept, "sr2").lives(target -> false));
        agents.forEach(
                agent -> Eventually.holds("admitted", () -> agent.causes().isEmpty(), agent::view));
        TestJobs own = job("acme").placed(1, lost, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        TestJobs foreign = job("zeta").placed(1, lost, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        TestJobs theirs = starting("zeta");
        for (TestJobs job : List.of(own, foreign)) {
            Eventually.holds("job heard of", () -> first.knowsJob(job.job()), job::job);
        }
        try (FaultEvents all = new FaultEvents(second, Role.SRE, "", null);
                FaultEvents mine = new FaultEvents(second, Role.VIEWER, "", null);
                FaultEvents past = new FaultEvents(first, Role.VIEWER, "", "0");
                FaultEvents asked = new FaultEvents(first, Role.VIEWER, "?job=" + foreign.job(), "0")) {
            all.untilSynced();
            mine.untilSynced();
            breaks(theirs);
            all.untilFault(of(theirs, FaultStatus.OPEN));
            agents.getFirst().falls();
            all.untilFault(fault -> fault.layer() == FaultLayer.NODE
                    && fault.blastRadius().jobs().containsAll(List.of(own.job(), foreign.job())));
            for (FaultEvents reader : List.of(mine, past)) {
                List<Seen> seen = reader.untilFault(fault -> fault.layer() == FaultLayer.NODE
                        && fault.blastRadius().jobs().contains(own.job()));
                assertThat(seen.getLast().fault().blastRadius().jobs()).containsExactly(own.job());
                assertThat(seen.getLast().fault().blastRadius().gpus()).isEqualTo(8);
                assertThat(seen)
                        .allSatisfy(one -> assertThat(one.data())
                                .doesNotContain(
                                        foreign.job().value(), theirs.job().value()));
            }
            assertThat(asked.poll(500))
                    .as("another tenant's job touches nothing of mine")
                    .isNull();
        }
    }
}

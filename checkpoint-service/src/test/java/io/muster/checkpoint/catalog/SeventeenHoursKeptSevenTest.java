package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.checkpoint.CheckpointServiceApplication;
import io.muster.checkpoint.CheckpointSystem;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.testing.TestBroker;
import io.muster.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A job trained for seventeen hours and was restored from its seventh, because somebody's list of checkpoints was old.
 * Here no answer can be older than the truth, and whoever goes back on purpose hears what it costs.
 */
@CheckpointSystem
class SeventeenHoursKeptSevenTest {

    @Autowired
    private ApplicationContext context;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TestDatabase database;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private Gang.Parts parts;
    private Gang gang;

    @BeforeEach
    void newJob() {
        parts = Gang.Parts.of(context);
        gang = new Gang(parts);
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger().detachAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(DecideRestore.class);
    }

    @Test
    void theNewestIsRestoredHoweverManyThereAre() {
        List<CheckpointId> hours = train();
        assertThat(gang.restore(2, "latest", 2).checkpointId()).isEqualTo(hours.get(16));
        assertThat(alarms()).isEmpty();
        assertThat(gang.count("muster_checkpoint_restored_older")).isZero();
    }

    @Test
    void whoNamesTheSeventhHearsOfTheTenHoursAndLosesNoneOfThem() {
        List<CheckpointId> hours = train();
        CheckpointId seventh = hours.get(6);
        CheckpointId newest = hours.get(16);
        RestoreDecision decision = gang.restore(2, seventh.value(), 2);
        assertThat(decision.checkpointId()).isEqualTo(seventh);
        assertThat(decision.message())
                .contains(seventh.value(), newest.value(), "10 h 0 min 0 s of committed work are given up");
        assertThat(alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.getLevel()).isEqualTo(Level.WARN);
            assertThat(alarm.getFormattedMessage())
                    .contains(seventh.value(), newest.value(), "10 h 0 min 0 s", gang.job.value());
        });
        assertThat(gang.count("muster_checkpoint_restored_older")).isEqualTo(1);
        for (CheckpointId hour : hours) {
            assertThat(gang.find(hour).phase()).isEqualTo(CheckpointPhase.COMMITTED);
        }
        assertThat(parts.catalog().ofJob(gang.job, null, 50))
                .extracting(Checkpoint::id)
                .containsExactlyElementsOf(hours.reversed());
        // asked again, the attempt hears the same and nobody is alarmed twice
        assertThat(gang.restore(2, seventh.value(), 2)).isEqualTo(decision);
        assertThat(alarms()).hasSize(1);
        // a crash before the first commit does not undo the choice, and says each time what it costs
        assertThat(gang.restore(3, "latest", 2).checkpointId()).isEqualTo(seventh);
        assertThat(alarms()).hasSize(2);
        // and after it the lineage goes on from there
        CheckpointId branch = gang.commit(3, 710, 2);
        assertThat(gang.restore(4, "latest", 2).checkpointId()).isEqualTo(branch);
        assertThat(alarms()).hasSize(2);
        assertThat(gang.find(newest).phase()).isEqualTo(CheckpointPhase.COMMITTED);
    }

    @Test
    void damageGoesBackOneByOneAndEachStepIsAnAlarm() {
        List<CheckpointId> hours = train();
        gang.restore(2, "latest", 2);
        for (int attempt = 3; attempt <= 12; attempt++) {
            RestoreDecision decision = gang.restore(attempt, "latest", 2, hours.get(19 - attempt));
            assertThat(decision.checkpointId()).isEqualTo(hours.get(18 - attempt));
            assertThat(decision.message())
                    .contains(hours.get(16).value(), (attempt - 2) + " h 0 min 0 s of committed work are given up");
        }
        assertThat(alarms()).hasSize(10);
    }

    @Test
    void anotherJobThatBeginsFromAnOldOneHearsOfTheNewer() {
        List<CheckpointId> hours = train();
        var other = new Gang(parts);
        RestoreDecision decision = other.restore(1, hours.get(6).value(), 2);
        assertThat(decision.verdict()).isEqualTo(RestoreVerdict.RESTORED);
        assertThat(decision.message()).contains(hours.get(16).value(), "10 h 0 min 0 s");
        assertThat(alarms()).hasSize(1);
    }

    /** The restore comes while the commit is under way and not yet visible: it waits for it, and sees it. */
    @Test
    void aRestoreDuringACommitSeesIt() throws Exception {
        gang.restore(1, "latest", 2);
        gang.commit(1, 10, 2);
        CheckpointId id = gang.reserved(1, 20, 2);
        var reported = new CountDownLatch(1);
        var mayCommit = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            Future<CheckpointPhase> commit = pool.submit(() -> gang.inTransaction(() -> {
                CheckpointPhase phase = Gang.phase(gang.report(id, 1, 20, shard(0, "a"), shard(1, "b")));
                reported.countDown();
                await(mayCommit);
                return phase;
            }));
            await(reported);
            Future<RestoreDecision> restore = pool.submit(() -> gang.restore(2, "latest", 2));
            awaitAWaitingLock();
            assertThat(restore.isDone()).isFalse();
            mayCommit.countDown();
            assertThat(commit.get()).isEqualTo(CheckpointPhase.COMMITTED);
            assertThat(restore.get().checkpointId()).isEqualTo(id);
        }
    }

    /** The other way round: the fence is raised and not yet visible, so the commit waits, and is refused. */
    @Test
    void aCommitDuringARestoreIsFenced() throws Exception {
        gang.restore(1, "latest", 2);
        CheckpointId before = gang.commit(1, 10, 2);
        CheckpointId id = gang.reserved(1, 20, 2);
        var decided = new CountDownLatch(1);
        var mayCommit = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            Future<RestoreDecision> restore = pool.submit(() -> gang.inTransaction(() -> {
                RestoreDecision decision = gang.restore(2, "latest", 2);
                decided.countDown();
                await(mayCommit);
                return decision;
            }));
            await(decided);
            Future<ShardReport> commit = pool.submit(() -> gang.report(id, 1, 20, shard(0, "a"), shard(1, "b")));
            awaitAWaitingLock();
            assertThat(commit.isDone()).isFalse();
            mayCommit.countDown();
            assertThat(restore.get().checkpointId()).isEqualTo(before);
            assertThat(commit.get()).isInstanceOf(ShardReport.Fenced.class);
            assertThat(gang.find(id).phase()).isEqualTo(CheckpointPhase.ABANDONED);
        }
    }

    /** What one instance has answered before does not make its next answer old, whoever committed in between. */
    @Test
    void aRestartedServiceAndASecondInstanceAnswerFromTheTruth() {
        List<CheckpointId> hours = train();
        try (ConfigurableApplicationContext second = start()) {
            var elsewhere = second.getBean(DecideRestore.class);
            assertThat(elsewhere.decide(latest(2)).checkpointId()).isEqualTo(hours.get(16));
            CheckpointId newer = gang.commit(2, 5_000, 2);
            assertThat(elsewhere.decide(latest(3)).checkpointId()).isEqualTo(newer);
        }
        CheckpointId last = gang.commit(3, 6_000, 2);
        try (ConfigurableApplicationContext again = start()) {
            var restarted = again.getBean(DecideRestore.class);
            assertThat(restarted.decide(latest(2)).verdict())
                    .as("behind the fence, which a restart does not lower")
                    .isEqualTo(RestoreVerdict.REFUSED);
            assertThat(restarted.decide(latest(4)).checkpointId()).isEqualTo(last);
        }
        assertThat(gang.restore(4, "latest", 2).checkpointId()).isEqualTo(last);
    }

    private RestoreRequest latest(int attempt) {
        return new RestoreRequest(gang.job, Gang.TENANT, Gang.PROJECT, attempt, "latest", 2, List.of());
    }

    /** Another instance on the same database. */
    private ConfigurableApplicationContext start() {
        Environment known = context.getEnvironment();
        return CheckpointServiceApplication.application()
                .web(WebApplicationType.SERVLET)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=" + database.url(),
                        "--spring.datasource.username=" + database.user(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.kafka.bootstrap-servers=" + TestBroker.bootstrapServers(),
                        "--muster.identity.gateway-public-key="
                                + known.getProperty("muster.identity.gateway-public-key"),
                        "--muster.identity.node-public-key=" + known.getProperty("muster.identity.node-public-key"),
                        "--muster.identity.service-secret=" + known.getProperty("muster.identity.service-secret"));
    }

    /** Seventeen hours, a commit at the end of each, a hundred steps apart. */
    private List<CheckpointId> train() {
        gang.restore(1, "latest", 2);
        List<CheckpointId> hours = new ArrayList<>();
        for (int hour = 1; hour <= 17; hour++) {
            gang.clock.advance(Duration.ofHours(1));
            hours.add(gang.commit(1, hour * 100L, 2));
        }
        return hours;
    }

    private List<ILoggingEvent> alarms() {
        return log.list.stream()
                .filter(event -> event.getFormattedMessage().startsWith("ALARM")
                        && event.getFormattedMessage().contains(gang.job.value()))
                .toList();
    }

    private void awaitAWaitingLock() throws InterruptedException {
        for (int i = 0; i < 400; i++) {
            if (jdbc.sql("select count(*) from pg_locks where not granted")
                            .query(Long.class)
                            .single()
                    > 0) {
                return;
            }
            Thread.sleep(25);
        }
        throw new AssertionError("nobody waited for a lock within 10 s");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

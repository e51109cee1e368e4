package io.muster.job.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.muster.contract.agent.Progress;
import io.muster.contract.id.JobId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaNode;
import io.muster.edge.identity.Role;
import io.muster.edge.stream.Streams;
import io.muster.job.Api;
import io.muster.job.RunningJobService;
import io.muster.job.TestDoor;
import io.muster.job.TestQuota;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobWriter;
import io.muster.testing.EventReader;
import io.muster.testing.EventReader.Seen;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Streams of jobs over real HTTP, from two instances of the service on one database. */
class JobStreamsTest {

    private static final String DATABASE = "job_streams";
    private static final String[] SETTINGS = {
        "--muster.streams.poll=50ms",
        "--muster.streams.idle-poll=50ms",
        "--muster.streams.heartbeat=300ms",
        "--muster.streams.most=24",
        "--muster.streams.most-per-caller=20",
        "--server.tomcat.connection-timeout=2s"
    };

    private static RunningJobService first;
    private static RunningJobService second;
    private static int names;

    @BeforeAll
    static void start() {
        first = new RunningJobService(DATABASE, SETTINGS);
        second = new RunningJobService(DATABASE, SETTINGS);
        TestQuota.heardOf(
                first.bean(JdbcClient.class),
                List.of(new QuotaNode(new QueuePath("default"), 0, null, 1, false, false, false, null, List.of())));
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    private static String token(String tenant) {
        return TestDoor.user(tenant, Role.ENGINEER);
    }

    private static JobId job(RunningJobService at, String tenant, String more) {
        String name;
        synchronized (JobStreamsTest.class) {
            name = "s" + names++;
        }
        Api.Reply reply = new Api(at.port(), token(tenant)).post("/api/v1/jobs", """
                {"name": "%s", "project": "llm", "runtime": {"command": ["x"]%s}}""".formatted(name, more));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return new JobId(reply.json().get("id").stringValue());
    }

    private static JobId job(String tenant) {
        return job(first, tenant, "");
    }

    private static void cancel(String tenant, JobId job) {
        assertThat(new Api(first.port(), token(tenant))
                        .post("/api/v1/jobs/" + job + "/cancel", "")
                        .status())
                .isEqualTo(202);
    }

    /** A change that every list shows. */
    private static void says(RunningJobService at, JobId id, String message) {
        at.bean(JobWriter.class).change(id, (job, now) -> changed(job, message, job.progress()));
    }

    /** A change that only the job itself shows. */
    private static void steps(RunningJobService at, JobId id, long step) {
        at.bean(JobWriter.class)
                .change(
                        id,
                        (job, now) -> changed(
                                job, job.status().message(), new Progress(step, null, Map.of(), Instant.EPOCH)));
    }

    private static Job changed(Job job, String message, @Nullable Progress progress) {
        Job.Status was = job.status();
        return new Job(
                job.head(),
                new Job.Status(was.phase(), was.reason(), message, was.since(), null),
                job.holding(),
                job.runTime(),
                job.restarts(),
                job.attempt(),
                progress,
                job.result(),
                List.of());
    }

    private static EventReader list(RunningJobService at, String tenant, String query, @Nullable String lastId) {
        EventReader reader = new EventReader(at.port(), "/api/v1/jobs" + query, token(tenant), lastId);
        assertThat(reader.status).as(reader.text).isEqualTo(200);
        return reader;
    }

    private static String idOf(Seen seen) {
        return seen.json().path("id").asString("");
    }

    private static List<String> ids(List<Seen> events) {
        return events.stream()
                .filter(seen -> seen.name().equals("job") || seen.name().equals("left"))
                .map(JobStreamsTest::idOf)
                .toList();
    }

    @Test
    void aListTellsItsPresentStateAndThenEveryChangeThatItShows() {
        JobId old = job("list");
        JobId newer = job("list");
        try (EventReader reader = list(second, "list", "?state=QUEUED", null)) {
            assertThat(reader.raw.headers().firstValue("Content-Type").orElse(""))
                    .startsWith("text/event-stream");
            List<Seen> now = reader.untilSynced();
            assertThat(ids(now)).containsExactly(old.value(), newer.value());
            assertThat(now.getFirst().id())
                    .as("whoever is cut off here begins anew")
                    .isNull();
            assertThat(now.getLast().id()).isNotNull();
            JobId later = job("list");
            // a change may be told twice: in the state, and by its number
            reader.until(seen -> idOf(seen).equals(later.value()));
            steps(first, old, 7);
            says(first, newer, "hello");
            Seen said = reader.next();
            assertThat(said.json().path("message").asString()).isEqualTo("hello");
            cancel("list", old);
            Seen left = reader.next();
            assertThat(left.name()).isEqualTo("left");
            assertThat(left.json().path("id").asString()).isEqualTo(old.value());
            assertThat(left.json().path("state").asString()).isEqualTo("CANCELLED");
            assertThat(Long.parseLong(left.id())).isGreaterThan(Long.parseLong(said.id()));
        }
        assertThat(new Api(first.port(), token("list"))
                        .get("/api/v1/jobs")
                        .json()
                        .has("items"))
                .as("whoever does not ask for a stream gets a page")
                .isTrue();
        assertThat(new Api(first.port(), token("list"))
                        .get("/api/v1/jobs", "Accept", "text/html, */*;q=0.8")
                        .json()
                        .has("items"))
                .isTrue();
    }

    /** Every job is created with one change, so each missed change is a missed job. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void whoeverIsCutOffAndComesBackToAnyInstanceMissesNothing(long seed) throws Exception {
        Random random = new Random(seed);
        String tenant = "cuts" + seed;
        List<RunningJobService> both = List.of(first, second);
        Map<String, Integer> told = new HashMap<>();
        Map<String, Integer> last = new TreeMap<>();
        EventReader reader = list(first, tenant, "", null);
        reader.untilSynced();
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Map<String, Integer>>> running = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                long own = seed * 100 + writer;
                running.add(writers.submit(() -> write(both, tenant, new Random(own))));
            }
            int cuts = 0;
            while (running.stream().anyMatch(one -> !one.isDone()) || !told.equals(last) || cuts < 8) {
                for (int i = random.nextInt(12); i >= 0; i--) {
                    Seen seen = reader.poll(100);
                    if (seen != null && seen.name().equals("job")) {
                        note(seen, told, seed);
                    }
                }
                if (running.stream().allMatch(Future::isDone) && last.isEmpty()) {
                    for (Future<Map<String, Integer>> one : running) {
                        last.putAll(one.get());
                    }
                }
                String lastId = drain(reader, told, seed);
                reader.close();
                cuts++;
                assertThat(cuts).as("seed %d: told %s of %s", seed, told, last).isLessThan(400);
                reader = list(both.get(random.nextInt(2)), tenant, "", lastId);
            }
        } finally {
            reader.close();
        }
        assertThat(told).as("seed " + seed).isEqualTo(last).hasSize(60);
    }

    /** What has arrived counts as seen; the id is taken before, so that it is never ahead of what was seen. */
    private static @Nullable String drain(EventReader reader, Map<String, Integer> told, long seed) {
        String lastId = reader.lastId();
        for (Seen seen = reader.poll(0); seen != null; seen = reader.poll(0)) {
            if (seen.name().equals("job")) {
                note(seen, told, seed);
            }
        }
        return lastId;
    }

    private static void note(Seen seen, Map<String, Integer> told, long seed) {
        String message = seen.json().path("message").asString();
        int counter = message.startsWith("change ") ? Integer.parseInt(message.substring(7)) : 0;
        String id = seen.json().path("id").asString();
        assertThat(counter).as("seed %d: %s goes back", seed, id).isGreaterThanOrEqualTo(told.getOrDefault(id, 0));
        told.put(id, counter);
    }

    private static Map<String, Integer> write(List<RunningJobService> both, String tenant, Random random) {
        Map<String, Integer> changes = new TreeMap<>();
        List<JobId> mine = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            JobId created = job(both.get(random.nextInt(2)), tenant, "");
            mine.add(created);
            changes.put(created.value(), 0);
            for (int j = random.nextInt(3); j > 0; j--) {
                JobId one = mine.get(random.nextInt(mine.size()));
                int counter = changes.merge(one.value(), 1, Integer::sum);
                says(both.get(random.nextInt(2)), one, "change " + counter);
            }
        }
        return changes;
    }

    /** The order in which numbers are drawn is not that of the commits; readers must not pass a change that is not there yet. */
    @Test
    void aChangeThatIsCommittedLateIsToldAfterTheOnesBeforeIt() throws Exception {
        JobId late = job("late");
        JobId early = job("late");
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch commit = new CountDownLatch(1);
        TransactionTemplate transaction = first.bean(TransactionTemplate.class);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                EventReader reader = list(second, "late", "", null)) {
            reader.untilSynced();
            threads.submit(() -> transaction.executeWithoutResult(status -> {
                says(first, late, "first written, last committed");
                written.countDown();
                awaits(commit);
            }));
            awaits(written);
            says(second, early, "committed");
            Seen before =
                    reader.until(seen -> seen.data().contains("\"committed\"")).getLast();
            String lastId = reader.lastId();
            reader.close();
            commit.countDown();
            try (EventReader again = list(first, "late", "", lastId)) {
                Seen after = again.next();
                assertThat(idOf(after)).isEqualTo(late.value());
                assertThat(Long.parseLong(after.id())).isGreaterThan(Long.parseLong(before.id()));
            }
        }
    }

    private static void awaits(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aJobIsToldUntilItHasEndedAndThenThereIsNothingMore() {
        JobId id = job("one");
        JobId other = job("one");
        String path = "/api/v1/jobs/" + id;
        String beforeTheEnd;
        try (EventReader reader = new EventReader(second.port(), path, token("one"), null)) {
            Seen now = reader.next();
            assertThat(now.name()).isEqualTo("job");
            assertThat(now.json())
                    .isEqualTo(new Api(first.port(), token("one")).get(path).json());
            steps(first, other, 1);
            steps(first, id, 3);
            List<Seen> stepped = reader.until(
                    seen -> seen.json().path("progress").path("step").asLong() == 3);
            assertThat(ids(stepped)).containsOnly(id.value());
            beforeTheEnd = reader.lastId();
            cancel("one", id);
            List<Seen> rest = reader.until(seen -> seen.name().equals(EventReader.OVER));
            assertThat(rest).extracting(Seen::name).containsExactly("job", "end", EventReader.OVER);
            assertThat(rest.getFirst().json().path("state").asString()).isEqualTo("CANCELLED");
            assertThat(rest.get(1).json().path("reason").asString()).isEqualTo("ENDED");
            EventReader again = new EventReader(first.port(), path, token("one"), reader.lastId());
            assertThat(again.status).as("do not come back").isEqualTo(204);
        }
        try (EventReader cut = new EventReader(first.port(), path, token("one"), beforeTheEnd)) {
            assertThat(cut.until(seen -> seen.name().equals(EventReader.OVER)))
                    .extracting(Seen::name)
                    .as("whoever was cut off before the end still hears of it")
                    .containsExactly("job", "end", EventReader.OVER);
        }
    }

    @Test
    void aJobThatHasNotChangedIsNotToldAgain() {
        JobId id = job("same");
        String path = "/api/v1/jobs/" + id;
        String lastId;
        try (EventReader reader = new EventReader(first.port(), path, token("same"), null)) {
            steps(first, id, 1);
            reader.until(seen -> seen.json().path("progress").path("step").asLong() == 1);
            Awaitility.await().until(() -> reader.poll(400) == null);
            lastId = reader.lastId();
        }
        try (EventReader reader = new EventReader(second.port(), path, token("same"), lastId)) {
            assertThat(reader.poll(500)).isNull();
            steps(second, id, 2);
            assertThat(reader.next().json().path("progress").path("step").asLong())
                    .isEqualTo(2);
        }
    }

    @Test
    void noStreamShowsAnotherTenantsJobs() {
        JobId mine = job("mine");
        String sre = TestDoor.user("ops", Role.SRE);
        try (EventReader stranger = list(first, "stranger", "", null);
                EventReader fromTheBeginning = list(second, "stranger", "", "0");
                EventReader ops = new EventReader(first.port(), "/api/v1/jobs?pageSize=1", sre, null)) {
            assertThat(stranger.untilSynced()).hasSize(1);
            ops.untilSynced();
            says(second, mine, "secret");
            assertThat(ids(List.of(ops.next()))).containsExactly(mine.value());
            JobId theirs = job("stranger");
            assertThat(ids(List.of(stranger.next()))).containsExactly(theirs.value());
            assertThat(ids(List.of(fromTheBeginning.next()))).containsExactly(theirs.value());
        }
        for (String lastId : new String[] {null, "0", "1-end"}) {
            EventReader reader = new EventReader(first.port(), "/api/v1/jobs/" + mine, token("stranger"), lastId);
            assertThat(reader.status).isEqualTo(404);
            assertThat(reader.text).contains("JOB_NOT_FOUND");
            assertThat(reader.raw.headers().firstValue("Content-Type")).contains("application/problem+json");
        }
    }

    @Test
    void filtersHoldForChangesToo() {
        try (EventReader reader = list(first, "filter", "?queue=default&project=llm&label=team:nlp", null);
                EventReader none = list(first, "filter", "?project=vision", null)) {
            reader.untilSynced();
            none.untilSynced();
            job("filter");
            Api.Reply labelled = new Api(first.port(), token("filter")).post("/api/v1/jobs", """
                    {"name": "labelled", "project": "llm", "labels": {"team": "nlp"}, "runtime": {"command": ["x"]}}""");
            assertThat(ids(List.of(reader.next())))
                    .containsExactly(labelled.json().path("id").asString());
            assertThat(none.poll(400)).isNull();
        }
    }

    @Test
    void anIdThatNothingFollowsIsAnsweredWithTheStateAndOneThatIsNoneWithARefusal() {
        JobId mine = job("reset");
        try (EventReader reader = list(first, "reset", "", "999999999999")) {
            List<Seen> events = reader.untilSynced();
            assertThat(events).extracting(Seen::name).containsExactly("reset", "job", "synced");
            assertThat(events.getFirst().data()).contains("999999999999");
            assertThat(ids(events)).containsExactly(mine.value());
        }
        EventReader refused = new EventReader(first.port(), "/api/v1/jobs", token("reset"), "1; drop");
        assertThat(refused.status).isEqualTo(400);
        assertThat(refused.text).contains("Last-Event-ID", "1; drop");
        EventReader query = new EventReader(first.port(), "/api/v1/jobs?state=BUSY", token("reset"), null);
        assertThat(query.status).isEqualTo(400);
        assertThat(query.text).contains("/state");
        Awaitility.await().until(() -> first.bean(Streams.class).open() == 0);
    }

    @Test
    void limitsAreToldInNumbersAndPlacesComeBack() {
        Awaitility.await().until(() -> first.bean(Streams.class).open() == 0);
        List<EventReader> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            open.add(list(first, "small", "", null));
        }
        EventReader own = new EventReader(first.port(), "/api/v1/jobs", token("small"), null);
        assertThat(own.status).isEqualTo(429);
        assertThat(own.text).contains("TOO_MANY_STREAMS_OF_CALLER", "key_small", "20 streams");
        for (int i = 0; i < 4; i++) {
            open.add(list(first, "large", "", null));
        }
        EventReader full = new EventReader(first.port(), "/api/v1/jobs/x", token("large"), null);
        assertThat(full.status).isEqualTo(503);
        assertThat(full.text).contains("TOO_MANY_STREAMS\"", "24 streams", "\"retryable\":true");
        assertThat(full.raw.headers().firstValue("Retry-After")).contains("5");
        assertThat(full.raw.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(new Api(first.port(), token("small")).get("/api/v1/jobs").status())
                .as("pages are served all the same")
                .isEqualTo(200);
        open.removeFirst().close();
        Awaitility.await().until(() -> first.bean(Streams.class).open() == 23);
        open.add(list(first, "small", "", null));
        open.forEach(EventReader::close);
        Awaitility.await().until(() -> first.bean(Streams.class).open() == 0);
    }

    @Test
    void aStreamEndsWithItsTokenAndGoesOnWithTheNext() {
        String old = TestDoor.userSince("token", Role.ENGINEER, Duration.ofSeconds(-62));
        String lastId;
        try (EventReader reader = new EventReader(first.port(), "/api/v1/jobs", old, null)) {
            assertThat(reader.status).as(reader.text).isEqualTo(200);
            List<Seen> events = reader.until(seen -> seen.name().equals(EventReader.OVER));
            assertThat(events.get(events.size() - 2).name()).isEqualTo("end");
            assertThat(events.get(events.size() - 2).data()).contains("TOKEN_ENDED");
            lastId = reader.lastId();
        }
        assertThat(new EventReader(first.port(), "/api/v1/jobs", old, lastId).status)
                .isEqualTo(401);
        JobId meanwhile = job("token");
        try (EventReader reader = list(first, "token", "", lastId)) {
            assertThat(ids(List.of(reader.next()))).containsExactly(meanwhile.value());
        }
    }

    @Test
    void aServiceThatStopsSendsItsReadersAwayAndTheyGoOnAfterIt() {
        String lastId;
        JobId before;
        try (EventReader reader = list(second, "restart", "", null)) {
            reader.untilSynced();
            before = job(second, "restart", "");
            assertThat(ids(List.of(reader.next()))).containsExactly(before.value());
            second.close();
            assertThat(reader.until(seen -> seen.name().equals(EventReader.OVER))
                            .getFirst()
                            .data())
                    .contains("SERVICE_STOPS");
            lastId = reader.lastId();
        }
        says(first, before, "while it was away");
        second = new RunningJobService(DATABASE, SETTINGS);
        try (EventReader reader = list(second, "restart", "", lastId)) {
            Seen missed = reader.next();
            assertThat(ids(List.of(missed))).containsExactly(before.value());
            assertThat(missed.json().path("message").asString()).isEqualTo("while it was away");
        }
    }

    /** More of them than the pool has connections; each is sent more than the buffers between take. */
    @Test
    void readersThatDoNotReadHoldUpNobodyAndAreLetGo() throws Exception {
        JobId big = job(first, "slow", ", \"env\": {\"BIG\": \"" + "x".repeat(30_000) + "\"}");
        HikariDataSource pool = first.bean(HikariDataSource.class);
        List<Socket> slow = new ArrayList<>();
        try (EventReader reader =
                new EventReader(first.port(), "/api/v1/jobs/" + big, TestDoor.user("slow", Role.VIEWER), null)) {
            reader.next();
            for (int i = 0; i < pool.getMaximumPoolSize() + 4; i++) {
                slow.add(reads(first.port(), "/api/v1/jobs/" + big, token("slow")));
            }
            Awaitility.await().until(() -> first.bean(Streams.class).open() == slow.size() + 1);
            int most = 0;
            TreeSet<Long> steps = new TreeSet<>();
            for (long step = 1; step <= 120 || first.bean(Streams.class).open() > 1; step++) {
                assertThat(step).as("they are never let go").isLessThan(3_000);
                steps(first, big, step);
                assertThat(new Api(first.port(), token("slow"))
                                .get("/api/v1/jobs?pageSize=1")
                                .status())
                        .isEqualTo(200);
                for (Seen seen = reader.poll(20); seen != null; seen = reader.poll(0)) {
                    steps.add(seen.json().path("progress").path("step").asLong());
                }
                most = Math.max(most, steps.size());
            }
            steps(first, big, 1_000_000);
            reader.until(seen -> seen.json().path("progress").path("step").asLong() == 1_000_000);
            assertThat(most).as("the one who reads is told on and on").isGreaterThan(10);
            Awaitility.await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** Asks and never reads. */
    private static Socket reads(int port, String path, String token) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
                                + token + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}

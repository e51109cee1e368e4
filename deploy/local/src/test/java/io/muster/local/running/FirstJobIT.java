package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Jobs on the whole system: the example, user errors, waiting, crowding, cancelling. */
class FirstJobIT {

    private static final int STEPS = 40;

    private final RunningSystem system = RunningSystem.get();

    private static Map<String, Object> job(String name, int nodes, int gpus, List<String> command) {
        return Map.of(
                "name", name,
                "runtime", Map.of("command", command),
                "resources", Map.of("nodes", nodes, "gpusPerNode", gpus));
    }

    private static List<String> shell(String script) {
        return List.of("/bin/sh", "-c", script);
    }

    @Test
    void theExampleEndsWithTheLossOfARunWithoutMusterAndAnExactBill() throws Exception {
        Map<String, Object> spec = Map.of(
                "name", "example",
                "runtime",
                        Map.of(
                                "command", List.of("python3", "train.py"),
                                "args", List.of("--steps", Integer.toString(STEPS)),
                                "workingDir",
                                        RunningSystem.ROOT
                                                .resolve("examples/ngram")
                                                .toString(),
                                "client", true),
                "resources", Map.of("nodes", 4, "gpusPerNode", 8),
                "topology", Map.of("within", "rack", "mode", "required"),
                "checkpoint", Map.of("uri", "store://it", "interval", "10 steps"));
        Instant submitted = Instant.now();
        String id = system.submit(spec);
        system.await(
                id,
                Duration.ofSeconds(30),
                now -> !List.of("QUEUED", "STARTING").contains(RunningSystem.state(now)));
        System.out.printf(
                "submit to RUNNING: %.2f s%n",
                Duration.between(submitted, Instant.now()).toMillis() / 1000.0);
        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).as(ended.toString()).isEqualTo("SUCCEEDED");
        assertThat(ended.get("attempt").intValue()).isEqualTo(1);
        assertThat(ended.get("result").get("finalLoss").doubleValue()).isEqualTo(lossWithoutMuster());
        assertThat(ended.get("placement").get("level").stringValue()).isEqualTo("RACK");
        // the last commit goes on without the ranks
        system.await(
                id,
                Duration.ofSeconds(30),
                now -> now.get("checkpoint").get("step").longValue() == STEPS);
        assertThat(system.call(system.key("engineer"), "GET", "/api/v1/jobs/" + id + "/logs?rank=0", null)
                        .text())
                .contains("step 1 loss ")
                .contains("step " + STEPS + " loss ");
        List<String> states = new ArrayList<>();
        system.get("/jobs/" + id + "/timeline").get("items").forEach(entry -> states.add(RunningSystem.state(entry)));
        assertThat(states).containsSubsequence("QUEUED", "STARTING", "RUNNING", "SUCCEEDED");
        assertBillEqualsAllocation(id, 32);
    }

    private double lossWithoutMuster() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        List<CompletableFuture<RunningSystem.Finished>> ranks = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            Map<String, String> environment = Map.of(
                    "PYTHONPATH", RunningSystem.ROOT.resolve("clients/python").toString(),
                    "RANK", Integer.toString(rank),
                    "WORLD_SIZE", "4",
                    "MASTER_ADDR", "127.0.0.1",
                    "MASTER_PORT", Integer.toString(port));
            List<String> command = List.of(
                    "/usr/bin/python3",
                    RunningSystem.ROOT.resolve("examples/ngram/train.py").toString(),
                    "--steps",
                    Integer.toString(STEPS),
                    "--step-seconds",
                    "0");
            ranks.add(CompletableFuture.supplyAsync(
                    () -> RunningSystem.run(command, environment), Thread::startVirtualThread));
        }
        ranks.forEach(CompletableFuture::join);
        String last = ranks.getFirst()
                .join()
                .output()
                .strip()
                .lines()
                .reduce((a, b) -> b)
                .orElseThrow();
        return Double.parseDouble(last.substring(last.lastIndexOf(' ') + 1));
    }

    /** quota-service's intervals are those of the scheduler's rows, and the sum is theirs to the millisecond. */
    private void assertBillEqualsAllocation(String id, int gpus) throws Exception {
        long expected = 0;
        int members = 0;
        try (Connection scheduler = system.database("scheduler");
                var query = scheduler.prepareStatement(
                        "SELECT since, until, cardinality(gpus) FROM allocation_member WHERE job_id = ?")) {
            query.setString(1, id);
            try (var rows = query.executeQuery()) {
                while (rows.next()) {
                    members++;
                    long since = rows.getTimestamp(1).toInstant().toEpochMilli();
                    long until = rows.getTimestamp(2).toInstant().toEpochMilli();
                    expected += (until - since) * rows.getInt(3);
                }
            }
        }
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        JsonNode cost = system.get("/jobs/" + id + "/cost");
        while (cost.get("heldGpus").longValue() > 0 && System.nanoTime() < deadline) {
            RunningSystem.pause();
            cost = system.get("/jobs/" + id + "/cost");
        }
        assertThat(cost.get("intervals").size()).isEqualTo(members);
        assertThat(cost.get("gpuMilliseconds").longValue()).isEqualTo(expected).isPositive();
        assertThat(members * 8).isEqualTo(gpus);
    }

    @Test
    void aProgramThatRaisesBeforeItsFirstStepFailsInOneAttemptWithItsLastLineAndNoNodeIsBlamed() {
        String id = system.submit(
                job("raises", 2, 8, List.of("python3", "-c", "raise ValueError('no such data set: corpus-17')")));
        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).isEqualTo("FAILED");
        assertThat(ended.get("attempt").intValue()).isEqualTo(1);
        assertThat(ended.get("message").stringValue()).contains("ValueError: no such data set: corpus-17");
        assertNoNodeIsHeld();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 3", "kill -9 $$", "no-such-program-anywhere", "python3 -c 'import nothing_like_it'"})
    void whateverAProgramEndsWithIsItsOwnFault(String script) {
        String id = system.submit(job("ends badly", 2, 8, shell(script)));
        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).isEqualTo("FAILED");
        assertThat(ended.get("message").stringValue()).isNotBlank();
        assertNoNodeIsHeld();
    }

    private void assertNoNodeIsHeld() {
        system.get("/nodes").get("items").forEach(node -> {
            assertThat(node.get("condition").stringValue()).as(node.toString()).isEqualTo("HEALTHY");
        });
    }

    @Test
    void aGangThatFitsNowhereNowWaitsWithNumbersAndRunsWhenItFits() {
        String first = system.submit(job("in the way", 6, 8, shell("sleep 60")));
        system.await(
                first, Duration.ofSeconds(30), now -> RunningSystem.state(now).equals("RUNNING"));
        String second = system.submit(job("waits", 4, 8, shell("exit 0")));
        JsonNode explanation = awaitExplanation(second);
        assertThat(explanation.get("numbers").get("requestedGpus").longValue()).isEqualTo(32);
        assertThat(explanation.get("numbers").get("freeGpus").longValue()).isEqualTo(16);
        assertThat(explanation.get("sentence").stringValue()).contains("32").contains("16");
        assertThat(explanation.get("hint").stringValue()).isNotBlank();
        system.call(system.key("engineer"), "POST", "/api/v1/jobs/" + first + "/cancel", null);
        assertThat(RunningSystem.state(system.awaitEnd(second))).isEqualTo("SUCCEEDED");
        assertThat(RunningSystem.state(system.awaitEnd(first))).isEqualTo("CANCELLED");
    }

    private JsonNode awaitExplanation(String job) {
        for (int i = 0; i < 100; i++) {
            JsonNode explanation = system.get("/jobs/" + job + "/explanation");
            if (explanation.get("numbers").has("freeGpus")) {
                return explanation;
            }
            RunningSystem.pause();
        }
        throw new AssertionError("no explanation with numbers: " + system.get("/jobs/" + job + "/explanation"));
    }

    @Test
    void aGangThatCanNeverFitIsRefusedAtSubmissionWithNumbers() {
        RunningSystem.Answer answer =
                system.call(system.key("engineer"), "POST", "/api/v1/jobs", job("too big", 9, 8, shell("exit 0")));
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        assertThat(answer.text()).contains("72").contains("64");
        assertThat(answer.body().get("hint").stringValue()).isNotBlank();
    }

    @Test
    void sixteenJobsAtOnceNeverShareAGpuAndAllEnd() throws Exception {
        List<String> jobs = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            jobs.add(system.submit(job("crowd " + i, 1 + i % 4, i % 3 == 0 ? 8 : 4, shell("sleep 1"))));
        }
        for (String id : jobs) {
            assertThat(RunningSystem.state(system.awaitEnd(id))).isEqualTo("SUCCEEDED");
        }
        try (Connection scheduler = system.database("scheduler");
                var rows = scheduler.createStatement().executeQuery("""
                        SELECT count(*) FROM (SELECT m.*, unnest(gpus) AS gpu FROM allocation_member m) a
                        JOIN (SELECT m.*, unnest(gpus) AS gpu FROM allocation_member m) b
                        ON a.node = b.node AND a.gpu = b.gpu
                        AND (a.job_id, a.generation) < (b.job_id, b.generation)
                        AND a.since < coalesce(b.until, 'infinity') AND b.since < coalesce(a.until, 'infinity')""")) {
            rows.next();
            assertThat(rows.getInt(1))
                    .as("pairs of allocations that held one GPU at one time")
                    .isZero();
        }
    }

    @Test
    void cancelFreesGpusOnlyWhenEveryProcessIsGone() throws Exception {
        String stubborn = "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 300' & (sleep 300 &) ; sleep 300";
        String id = system.submit(job("stubborn", 2, 8, shell(stubborn)));
        system.await(id, Duration.ofSeconds(30), now -> RunningSystem.state(now).equals("RUNNING"));
        assertThat(RunningSystem.processesOf(id)).hasSizeGreaterThanOrEqualTo(4);
        system.call(system.key("engineer"), "POST", "/api/v1/jobs/" + id + "/cancel", null);
        while (!RunningSystem.ended(RunningSystem.state(system.get("/jobs/" + id)))) {
            if (membersFreed(id) == 2) {
                assertThat(RunningSystem.processesOf(id)).isEmpty();
            }
            RunningSystem.pause();
        }
        assertThat(RunningSystem.state(system.awaitEnd(id))).isEqualTo("CANCELLED");
        assertThat(RunningSystem.processesOf(id)).isEmpty();
    }

    private int membersFreed(String id) throws Exception {
        try (Connection scheduler = system.database("scheduler");
                var query = scheduler.prepareStatement(
                        "SELECT count(*) FROM allocation_member WHERE job_id = ? AND until IS NOT NULL")) {
            query.setString(1, id);
            try (var rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    @Test
    void torchrunsEnvironmentIsOneProcessANode() {
        Map<String, Object> spec = Map.of(
                "name", "torchrun",
                "runtime",
                        Map.of(
                                "command",
                                shell(
                                        "echo $PET_NNODES $PET_NPROC_PER_NODE $PET_NODE_RANK; env | grep -c '^RANK=' ; exit 0"),
                                "envProfile",
                                "torchrun"),
                "resources", Map.of("nodes", 2, "gpusPerNode", 8, "processesPerNode", 4));
        String id = system.submit(spec);
        assertThat(RunningSystem.state(system.awaitEnd(id))).isEqualTo("SUCCEEDED");
        assertThat(system.call(system.key("engineer"), "GET", "/api/v1/jobs/" + id + "/logs?rank=0", null)
                        .text())
                .startsWith("2 4 0\n0\n");
    }

    @Test
    void theTerminalShowsWhatThereIs() {
        assertThat(system.muster("nodes").output()).contains("r2-n4").contains("HEALTHY");
        assertThat(system.muster("quota").output()).contains("default").contains("pool");
        assertThat(system.muster("status").output()).contains("running").contains("gateway");
        String id = system.submit(job("shown", 1, 8, shell("echo hello from rank $RANK")));
        system.awaitEnd(id);
        assertThat(system.muster("jobs").output()).contains(id);
        assertThat(system.muster("job", id).output()).contains("SUCCEEDED").contains("GPU-seconds");
        assertThat(system.muster("logs", id).output()).contains("hello from rank 0");
        RunningSystem.Finished unknown = system.muster("job", "job_00000000000000000000000000");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.output().lines()).hasSize(1);
    }
}

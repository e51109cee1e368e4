package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A node is lost under a running job: the job goes on from its last commit on other nodes, with nobody touching it. */
class NodeLossIT {

    private static final int STEPS = 150;
    private static final Duration RECOVERED_WITHIN = Duration.ofSeconds(300);

    /** Without which no node comes back; docs/checks.md. */
    private static final String[] CHECKS_OF_A_NODE = {
        "gpu_count",
        "leftover_processes",
        "disk_space",
        "disk_write_read",
        "memory",
        "name_resolution",
        "fd_limit",
        "store_reachable"
    };

    private static RunningSystem system;
    private static JsonNode undisturbed;

    @BeforeAll
    static void up() {
        system = RunningSystem.start(2500, "--processes");
        RunningSystem.Finished computed = RunningSystem.run(
                List.of(
                        "python3",
                        "-c",
                        "import json; from muster_cli.demo.losses import undisturbed; print(json.dumps(undisturbed(4, "
                                + STEPS + ")))"),
                Map.of(
                        "PYTHONPATH",
                        RunningSystem.ROOT.resolve("deploy/local/cli").toString()));
        assertThat(computed.code()).as(computed.output()).isZero();
        undisturbed = JsonMapper.builder().build().readTree(computed.output());
    }

    @Test
    void aNodeThatDiesCostsNothingThatWasCommitted() {
        String id = submit("survivor");
        String victim = member(trained(id), 2);
        kill(id, victim);
        long killed = System.nanoTime();
        JsonNode again = recovered(id, victim);
        System.out.printf("killed to RUNNING again: %.1f s%n", (System.nanoTime() - killed) / 1e9);
        assertThat(again.get("attempt").intValue()).isEqualTo(2);

        assertEndedWithOneRestart(id);
        Map<Long, String> first = losses(id, 1);
        Map<Long, String> second = losses(id, 2);
        long restored = restoredStep(id, 2);
        assertThat(restored).isGreaterThanOrEqualTo(20);
        assertThat(second.keySet().iterator().next()).isEqualTo(restored + 1);
        assertLossesAreThoseOfAnUndisturbedRun(first, second);
        assertThat(system.get("/jobs/" + id + "/waste")
                        .get("total")
                        .get("recomputeGpuMillis")
                        .longValue())
                .as("training between the commit that was restored and the loss")
                .isPositive();
    }

    /** What recovers a job is told on other topics. */
    @Test
    void aFaultStreamThatTakesNothingDelaysOnlyItself() throws Exception {
        try (Admin broker = Admin.create(Map.<String, Object>of("bootstrap.servers", system.broker()))) {
            broker.deleteTopics(List.of(Topics.FAULTS)).all().get();
            String id = submit("unheard");
            String victim = member(trained(id), 3);
            kill(id, victim);
            recovered(id, victim);
            assertEndedWithOneRestart(id);
            assertLossesAreThoseOfAnUndisturbedRun(losses(id, 1), losses(id, 2));
            assertThat(broker.listTopics().names().get()).doesNotContain(Topics.FAULTS);
            broker.createTopics(List.of(new NewTopic(Topics.FAULTS, 1, (short) 1)))
                    .all()
                    .get();
            awaitFaultOnTheStream(victim);
        }
    }

    private static void awaitFaultOnTheStream(String node) {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        TopicPartition all = new TopicPartition(Topics.FAULTS, 0);
        try (Consumer<String, String> stream = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", system.broker(), "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            stream.assign(List.of(all));
            stream.seekToBeginning(List.of(all));
            while (true) {
                for (ConsumerRecord<String, String> event : stream.poll(Duration.ofMillis(500))) {
                    if (event.key().equals(node) && event.value().contains("LEASE_EXPIRED")) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("fault of " + node).isLessThan(deadline);
            }
        }
    }

    /** Its agent and ranks stand still for longer than the lease and then go on as if nothing had been. */
    @Test
    void aNodeThatWasOnlyPausedChangesNothingLaterAndReturnsOnlyThroughItsCheck() {
        String id = submit("zombie");
        String paused = member(trained(id), 1);
        assertThat(system.muster("node", "pause", paused).code()).isZero();
        JsonNode again = recovered(id, paused);
        assertThat(condition(paused)).isNotEqualTo("HEALTHY");
        Instant resumed = Instant.now();
        assertThat(system.muster("node", "resume", paused).code()).isZero();
        awaitReturnThroughItsCheck(paused, resumed);
        assertThat(RunningSystem.processesWith("MUSTER_JOB_ID=" + id, "MUSTER_NODE=" + paused))
                .isEmpty();

        JsonNode ended = assertEndedWithOneRestart(id);
        assertThat(ended.get("attempt")).isEqualTo(again.get("attempt"));
        assertNothingOfAnEarlierAttemptIsCommittedAfterALaterOne(id);
        assertLossesAreThoseOfAnUndisturbedRun(losses(id, 1), losses(id, 2));
    }

    private static String submit(String name) {
        return system.submit(Map.of(
                "name", name,
                "runtime",
                        Map.of(
                                "command", List.of("python3", "train.py"),
                                "args", List.of("--steps", Integer.toString(STEPS), "--step-seconds", "0.15"),
                                "workingDir",
                                        RunningSystem.ROOT
                                                .resolve("examples/ngram")
                                                .toString(),
                                "client", true),
                "resources", Map.of("nodes", 4, "gpusPerNode", 8),
                "checkpoint", Map.of("uri", "store://" + name, "interval", "10 steps")));
    }

    /** The job, when it runs and has two checkpoints. */
    private static JsonNode trained(String id) {
        return system.await(
                id,
                Duration.ofSeconds(300),
                now -> now.path("checkpoint").path("step").asLong(0) >= 20
                        && RunningSystem.state(now).equals("RUNNING"));
    }

    private static String member(JsonNode job, int nodeRank) {
        return job.get("placement").get("members").get(nodeRank).get("node").stringValue();
    }

    private static JsonNode recovered(String id, String lost) {
        JsonNode again = system.await(
                id,
                RECOVERED_WITHIN,
                now -> now.get("attempt").intValue() > 1
                        && RunningSystem.state(now).equals("RUNNING"));
        assertThat(again.get("placement").toString()).doesNotContain("\"" + lost + "\"");
        return again;
    }

    /** SIGKILL to the agent and to the ranks of this node at one time, as when the machine loses its power. */
    private static void kill(String job, String node) {
        List<Long> pids = new ArrayList<>(RunningSystem.processesWith("MUSTER_JOB_ID=" + job, "MUSTER_NODE=" + node));
        assertThat(pids).isNotEmpty();
        pids.addFirst(system.pid("agent " + node));
        pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    private static JsonNode assertEndedWithOneRestart(String id) {
        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).as(ended.toString()).isEqualTo("SUCCEEDED");
        assertThat(ended.get("restarts").get("platform").get("used").intValue()).isEqualTo(1);
        return ended;
    }

    private static long restoredStep(String id, int number) {
        return system.get("/jobs/" + id + "/attempts")
                .get("items")
                .valueStream()
                .filter(attempt -> attempt.get("attempt").intValue() == number)
                .findFirst()
                .orElseThrow()
                .get("restore")
                .get("step")
                .longValue();
    }

    private static Map<Long, String> losses(String job, int attempt) {
        Map<Long, String> losses = new TreeMap<>();
        system.call(system.key("engineer"), "GET", "/api/v1/jobs/" + job + "/logs?rank=0&attempt=" + attempt, null)
                .text()
                .lines()
                .filter(line -> line.startsWith("step "))
                .map(line -> line.split(" ", -1))
                .forEach(words -> losses.put(Long.parseLong(words[1]), words[3]));
        return losses;
    }

    private static void assertLossesAreThoseOfAnUndisturbedRun(Map<Long, String> first, Map<Long, String> second) {
        Map<Long, String> all = new TreeMap<>(first);
        all.putAll(second);
        assertThat(all).hasSize(STEPS);
        for (Map<Long, String> printed : List.of(first, second)) {
            printed.forEach((step, loss) -> assertThat(loss)
                    .as("loss of step %d", step)
                    .isEqualTo(undisturbed.get(Long.toString(step)).stringValue()));
        }
    }

    private static String condition(String node) {
        return system.get("/nodes/" + node).get("condition").stringValue();
    }

    private static void awaitReturnThroughItsCheck(String node, Instant resumed) {
        long deadline = System.nanoTime() + Duration.ofMinutes(4).toNanos();
        while (!condition(node).equals("HEALTHY")) {
            assertThat(System.nanoTime())
                    .as(() -> node + " is still " + system.get("/nodes/" + node))
                    .isLessThan(deadline);
            RunningSystem.pause();
        }
        Map<String, Instant> looked = new TreeMap<>();
        system.get("/nodes/" + node)
                .get("checks")
                .forEach(check -> looked.put(
                        check.get("check").stringValue(),
                        Instant.parse(check.get("at").stringValue())));
        assertThat(looked).containsKeys(CHECKS_OF_A_NODE);
        for (String check : CHECKS_OF_A_NODE) {
            assertThat(looked.get(check)).as(check).isAfter(resumed);
        }
    }

    private static void assertNothingOfAnEarlierAttemptIsCommittedAfterALaterOne(String id) {
        Map<Long, Integer> attemptByCommit = new TreeMap<>();
        system.get("/jobs/" + id + "/checkpoints?pageSize=200").get("items").forEach(checkpoint -> {
            if (checkpoint.path("commitOrder").isNumber()) {
                attemptByCommit.put(
                        checkpoint.get("commitOrder").longValue(),
                        checkpoint.get("attempt").intValue());
            }
        });
        assertThat(List.copyOf(attemptByCommit.values())).isSorted().contains(1);
    }
}

package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A node that was only paused comes back after its job has gone on elsewhere: what it says then is of no effect. */
class ZombieIT {

    private static final int STEPS = 150;

    private final RunningSystem system = RunningSystem.get();

    @Test
    void aPausedNodeThatGoesOnChangesNothingAndReturnsOnlyThroughItsCheck() {
        String id = system.submit(Map.of(
                "name", "zombie",
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
                "checkpoint", Map.of("uri", "store://zombie", "interval", "10 steps")));
        JsonNode running = system.await(
                id,
                Duration.ofSeconds(120),
                now -> now.path("checkpoint").path("step").asLong(0) >= 20
                        && RunningSystem.state(now).equals("RUNNING"));
        String paused =
                running.get("placement").get("members").get(1).get("node").stringValue();
        assertThat(system.muster("node", "pause", paused).code()).isZero();
        JsonNode again = system.await(
                id,
                Duration.ofSeconds(120),
                now -> now.get("attempt").intValue() > 1
                        && RunningSystem.state(now).equals("RUNNING"));
        assertThat(again.get("placement").toString()).doesNotContain("\"" + paused + "\"");
        assertThat(condition(paused)).isNotEqualTo("HEALTHY");
        Instant resumed = Instant.now();
        assertThat(system.muster("node", "resume", paused).code()).isZero();
        awaitReturnThroughItsCheck(paused, resumed);
        assertThat(RunningSystem.processesWith("MUSTER_JOB_ID=" + id, "MUSTER_NODE=" + paused))
                .isEmpty();

        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).as(ended.toString()).isEqualTo("SUCCEEDED");
        assertThat(ended.get("attempt").intValue())
                .isEqualTo(again.get("attempt").intValue());
        assertThat(ended.get("restarts").get("platform").get("used").intValue()).isEqualTo(1);
        assertNothingOfAnEarlierAttemptIsCommittedAfterALaterOne(id);
        assertLossesAreThoseOfAnUndisturbedRun(id, ended.get("attempt").intValue());
    }

    private String condition(String node) {
        return system.get("/nodes/" + node).get("condition").stringValue();
    }

    private void awaitReturnThroughItsCheck(String node, Instant resumed) {
        long deadline = System.nanoTime() + Duration.ofMinutes(4).toNanos();
        while (!condition(node).equals("HEALTHY")) {
            assertThat(System.nanoTime())
                    .as(() -> node + " is still " + system.get("/nodes/" + node))
                    .isLessThan(deadline);
            RunningSystem.pause();
        }
        JsonNode checks = system.get("/nodes/" + node).get("checks");
        assertThat(checks.size()).isPositive();
        checks.forEach(check -> assertThat(Instant.parse(check.get("at").stringValue()))
                .as(check.toString())
                .isAfter(resumed));
    }

    private void assertNothingOfAnEarlierAttemptIsCommittedAfterALaterOne(String id) {
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

    private void assertLossesAreThoseOfAnUndisturbedRun(String id, int attempts) {
        RunningSystem.Finished undisturbed = RunningSystem.run(
                List.of(
                        "python3",
                        "-c",
                        "import json; from muster_cli.demo.losses import undisturbed; print(json.dumps(undisturbed(4, "
                                + STEPS + ")))"),
                Map.of(
                        "PYTHONPATH",
                        RunningSystem.ROOT.resolve("deploy/local/cli").toString()));
        assertThat(undisturbed.code()).as(undisturbed.output()).isZero();
        JsonNode expected = JsonMapper.builder().build().readTree(undisturbed.output());
        Map<Integer, String> printed = new LinkedHashMap<>();
        for (int attempt = 1; attempt <= attempts; attempt++) {
            system.call(system.key("engineer"), "GET", "/api/v1/jobs/" + id + "/logs?rank=0&attempt=" + attempt, null)
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("step "))
                    .map(line -> line.split(" ", -1))
                    .forEach(words -> {
                        assertThat(words[3])
                                .as("loss of step " + words[1])
                                .isEqualTo(expected.get(words[1]).stringValue());
                        printed.put(Integer.parseInt(words[1]), words[3]);
                    });
        }
        assertThat(printed).hasSize(STEPS);
    }
}

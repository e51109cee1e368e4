package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A node dies under a running job: the job goes on from its last commit on other nodes, with nobody touching it. */
class NodeLossIT {

    private static final int STEPS = 90;

    private static RunningSystem system;

    @BeforeAll
    static void up() {
        system = RunningSystem.start(2500, "--processes");
    }

    @AfterAll
    static void down() {
        system.stop();
    }

    @Test
    void theLossesAfterTheRestoreAreThoseBeforeItAndNothingCommittedIsLost() {
        String id = system.submit(Map.of(
                "name", "survivor",
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
                "checkpoint", Map.of("uri", "store://loss", "interval", "10 steps")));
        JsonNode running = system.await(
                id,
                Duration.ofSeconds(90),
                now -> now.has("checkpoint")
                        && now.get("checkpoint").path("step").asLong(0) >= 20
                        && RunningSystem.state(now).equals("RUNNING"));
        String victim =
                running.get("placement").get("members").get(2).get("node").stringValue();
        kill(id, victim);
        long killed = System.nanoTime();
        JsonNode again = system.await(
                id,
                Duration.ofSeconds(120),
                now -> now.get("attempt").intValue() == 2
                        && RunningSystem.state(now).equals("RUNNING"));
        System.out.printf("killed to RUNNING again: %.1f s%n", (System.nanoTime() - killed) / 1e9);
        assertThat(again.get("placement").toString()).doesNotContain("\"" + victim + "\"");
        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).as(ended.toString()).isEqualTo("SUCCEEDED");
        assertThat(ended.get("attempt").intValue()).isEqualTo(2);

        Map<Long, String> first = losses(id, 1);
        Map<Long, String> second = losses(id, 2);
        long restored = system.get("/jobs/" + id + "/attempts")
                .get("items")
                .valueStream()
                .filter(attempt -> attempt.get("attempt").intValue() == 2)
                .findFirst()
                .orElseThrow()
                .get("restore")
                .get("step")
                .longValue();
        assertThat(restored).isGreaterThanOrEqualTo(20);
        assertThat(second.keySet().iterator().next()).isEqualTo(restored + 1);
        assertThat(second).containsKey((long) STEPS);
        first.forEach((step, loss) -> {
            if (second.containsKey(step)) {
                assertThat(second.get(step)).as("loss of step %d", step).isEqualTo(loss);
            }
        });
    }

    /** SIGKILL to the agent and to the ranks of this node at one time, as when the machine loses its power. */
    private static void kill(String job, String node) {
        List<Long> pids = new ArrayList<>(RunningSystem.processesWith("MUSTER_JOB_ID=" + job, "MUSTER_NODE=" + node));
        assertThat(pids).isNotEmpty();
        pids.addFirst(system.pid("agent " + node));
        pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    private static Map<Long, String> losses(String job, int attempt) {
        Map<Long, String> losses = new LinkedHashMap<>();
        system.call(system.key("engineer"), "GET", "/api/v1/jobs/" + job + "/logs?rank=0&attempt=" + attempt, null)
                .text()
                .lines()
                .filter(line -> line.startsWith("step "))
                .map(line -> line.split(" ", -1))
                .forEach(words -> losses.put(Long.parseLong(words[1]), words[3]));
        return losses;
    }
}

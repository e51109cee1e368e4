package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Real PyTorch, and programs that have never heard of Muster: each loses a node for good and ends with the numbers of a
 * run without Muster that lost nothing, bit for bit. Without PyTorch its two tests are skipped and say so; with
 * {@code MUSTER_TORCH=required}, which CI sets after it has installed PyTorch, they fail.
 */
class TorchIT {

    private static final int STEPS = 120;
    private static final int WORLD_SIZE = 4;
    private static final String PACE = "0.15";
    private static final Duration LONGEST_PHASE = Duration.ofSeconds(180);
    private static final String BEGINS = "begins after step ";

    private static RunningSystem system;
    private static Path folder;

    @BeforeAll
    static void up() throws IOException {
        system = RunningSystem.start(3500);
        folder = Files.createTempDirectory("muster-torch-");
    }

    @AfterAll
    static void clean() {
        RunningSystem.deleteTree(folder);
    }

    @Test
    void aDistributedDataParallelJobThatLosesANodeHasTheLossesAndParametersOfAnUndisturbedRun() {
        String python = pythonWithTorch();
        List<String> steps = List.of("--steps", Integer.toString(STEPS), "--step-seconds");
        List<String> undisturbed =
                withoutMuster(joined(List.of(python, example("ddp") + "/train.py"), joined(steps, List.of("0"))));
        assertThat(undisturbed).hasSize(STEPS + 1);
        String id = system.submit(Map.of(
                "name", "ddp",
                "runtime",
                        Map.of(
                                "command", List.of(python, "train.py"),
                                "args", joined(steps, List.of(PACE)),
                                "workingDir", example("ddp"),
                                "client", true),
                "resources", Map.of("nodes", WORLD_SIZE, "gpusPerNode", 8),
                "checkpoint", Map.of("uri", "store://ddp", "interval", "10 steps")));
        loseNode(2, runningAnd(id, now -> now.path("checkpoint").path("step").asLong(0) >= 20));

        JsonNode ended = succeededAfterOneRestart(id);
        int restored = restoredStep(ended);
        assertThat(restored).isGreaterThanOrEqualTo(20);
        assertThat(numbers(log(id, ended.get("attempt").intValue())))
                .isEqualTo(undisturbed.subList(restored, undisturbed.size()));
        List<String> first = numbers(log(id, 1));
        assertThat(first)
                .hasSizeGreaterThanOrEqualTo(restored)
                .hasSizeLessThan(STEPS)
                .isEqualTo(undisturbed.subList(0, first.size()));
        assertThat(undisturbed.getLast())
                .endsWith(ended.get("result").get("parametersSha256").stringValue());
    }

    /** It gets {@code PET_*} and starts its own ranks; the node that dies is the master's, which writes the files. */
    @Test
    void aTorchProgramThatHasNeverHeardOfMusterGoesOnFromItsOwnFiles() {
        String python = pythonWithTorch();
        List<String> undisturbed =
                withoutMuster(plain(python, example("plain") + "/train.py", folder.resolve("undisturbed"), "0"));
        Path own = folder.resolve("own");
        String id = system.submit(Map.of(
                "name", "plain",
                "runtime",
                        Map.of(
                                "command", joined(List.of(python), plain("launch.py", "train.py", own, PACE)),
                                "workingDir", example("plain"),
                                "envProfile", "torchrun"),
                "resources", Map.of("nodes", 2, "gpusPerNode", 8, "processesPerNode", WORLD_SIZE / 2)));
        loseNode(
                0,
                runningAnd(
                        id,
                        now -> filesIn(own).filter(name -> name.endsWith(".pt")).count() >= 2));

        assertGoesOnFromItsOwnFiles(id, undisturbed);
    }

    @Test
    void ranksThatNeverTalkToEachOtherGoOnFromTheirOwnFiles() {
        List<String> undisturbed =
                withoutMuster(plain("python3", example("plain") + "/pi.py", folder.resolve("pi-undisturbed"), "0"));
        Path own = folder.resolve("pi-own");
        String id = system.submit(Map.of(
                "name", "pi",
                "runtime", Map.of("command", plain("python3", "pi.py", own, PACE), "workingDir", example("plain")),
                "resources", Map.of("nodes", 2, "gpusPerNode", 8)));
        loseNode(1, runningAnd(id, now -> filesIn(own).anyMatch("rank-0.json"::equals)));

        assertGoesOnFromItsOwnFiles(id, undisturbed);
    }

    private static List<String> plain(String starter, String program, Path files, String pace) {
        return List.of(
                starter,
                program,
                "--steps",
                Integer.toString(STEPS),
                "--every",
                "10",
                "--folder",
                files.toString(),
                "--step-seconds",
                pace);
    }

    private static Stream<String> filesIn(Path place) {
        return Stream.ofNullable(place.toFile().list()).flatMap(Stream::of);
    }

    private static void assertGoesOnFromItsOwnFiles(String id, List<String> undisturbed) {
        JsonNode ended = succeededAfterOneRestart(id);
        List<String> lines = log(id, ended.get("attempt").intValue());
        String begins = lines.stream()
                .filter(line -> line.startsWith(BEGINS))
                .findFirst()
                .orElseThrow();
        int step = Integer.parseInt(begins.substring(BEGINS.length()));
        assertThat(step).isBetween(10, STEPS - 1);
        assertThat(undisturbed).hasSize(STEPS);
        assertThat(numbers(lines)).isEqualTo(undisturbed.subList(step, STEPS));
    }

    /** The interpreter that can import PyTorch, by its absolute path, since ranks have a PATH of their own. */
    private static String pythonWithTorch() {
        Optional<String> found = Stream.of("/usr/bin/python3", "python3")
                .map(python -> RunningSystem.run(
                        List.of(
                                "/usr/bin/env",
                                python,
                                "-c",
                                "import sys, torch.distributed as d; d.ProcessGroupGloo; print(sys.executable)"),
                        Map.of()))
                .filter(finished -> finished.code() == 0)
                .map(finished -> finished.output().strip().lines().toList().getLast())
                .findFirst();
        String missing = "neither /usr/bin/python3 nor python3 can import torch with gloo;"
                + " install it (Debian: apt-get install python3-torch) to have this test run";
        if ("required".equals(System.getenv("MUSTER_TORCH"))) {
            assertThat(found).as(missing).isPresent();
        }
        if (found.isEmpty()) {
            System.out.println("TorchIT: test skipped: " + missing);
        }
        assumeTrue(found.isPresent(), missing);
        return found.orElseThrow();
    }

    private static String example(String name) {
        return RunningSystem.ROOT.resolve("examples").resolve(name).toString();
    }

    private static List<String> joined(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** What rank 0 computes with no Muster around it, in an environment built from nothing as a rank's is. */
    private static List<String> withoutMuster(List<String> command) {
        int port = freePort();
        List<CompletableFuture<RunningSystem.Finished>> ranks = new ArrayList<>();
        for (int rank = 0; rank < WORLD_SIZE; rank++) {
            List<String> environment = List.of(
                    "/usr/bin/env",
                    "-i",
                    "PATH=/usr/local/bin:/usr/bin:/bin",
                    "PYTHONPATH=" + RunningSystem.ROOT.resolve("clients/python"),
                    "PYTHONDONTWRITEBYTECODE=1",
                    "RANK=" + rank,
                    "WORLD_SIZE=" + WORLD_SIZE,
                    "MASTER_ADDR=127.0.0.1",
                    "MASTER_PORT=" + port);
            ranks.add(CompletableFuture.supplyAsync(
                    () -> RunningSystem.run(joined(environment, command), Map.of()), Thread::startVirtualThread));
        }
        ranks.forEach(
                rank -> assertThat(rank.join().code()).as(rank.join().output()).isZero());
        return numbers(ranks.getFirst().join().output().lines().toList());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The lines that tell what was computed, each with all digits of its numbers. */
    private static List<String> numbers(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("step ") || line.startsWith("parameters "))
                .toList();
    }

    private static List<String> log(String job, int attempt) {
        return system.call(
                        system.key("engineer"), "GET", "/api/v1/jobs/" + job + "/logs?rank=0&attempt=" + attempt, null)
                .text()
                .lines()
                .toList();
    }

    private static JsonNode runningAnd(String id, Predicate<JsonNode> trained) {
        return system.await(id, LONGEST_PHASE, now -> {
            assertThat(RunningSystem.ended(RunningSystem.state(now)))
                    .as(() -> "ended too early: " + now)
                    .isFalse();
            return RunningSystem.state(now).equals("RUNNING") && trained.test(now);
        });
    }

    /** SIGKILL to the agent and all processes of this node at one time; the job must run again without the node. */
    private static void loseNode(int nodeRank, JsonNode job) {
        String id = job.get("id").stringValue();
        String lost =
                job.get("placement").get("members").get(nodeRank).get("node").stringValue();
        List<Long> pids = new ArrayList<>(RunningSystem.processesWith("MUSTER_JOB_ID=" + id, "MUSTER_NODE=" + lost));
        assertThat(pids).isNotEmpty();
        pids.addFirst(system.pid("agent " + lost));
        pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        int attempt = job.get("attempt").intValue();
        JsonNode again = runningAnd(id, now -> now.get("attempt").intValue() > attempt);
        assertThat(again.get("placement").toString()).doesNotContain("\"" + lost + "\"");
    }

    private static JsonNode succeededAfterOneRestart(String id) {
        JsonNode ended = system.awaitEnd(id);
        assertThat(RunningSystem.state(ended)).as(ended.toString()).isEqualTo("SUCCEEDED");
        assertThat(ended.get("restarts").get("platform").get("used").intValue()).isEqualTo(1);
        return ended;
    }

    private static int restoredStep(JsonNode job) {
        return system.get("/jobs/" + job.get("id").stringValue() + "/attempts")
                .get("items")
                .valueStream()
                .filter(attempt -> attempt.get("attempt").equals(job.get("attempt")))
                .findFirst()
                .orElseThrow()
                .get("restore")
                .get("step")
                .intValue();
    }
}

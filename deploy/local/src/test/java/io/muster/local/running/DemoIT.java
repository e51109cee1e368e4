package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code ./muster demo} as a person types it: right when all is right, and wrong in its two controls. One system for all
 * of them, which the first starts; the nodes that each kills are brought back by the next.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DemoIT {

    private static final String PORT_OFFSET = "3000";

    private static Path home;

    @BeforeAll
    static void folder() throws IOException {
        RunningSystem.stopRunning();
        home = Files.createTempDirectory("muster-demo-");
        Runtime.getRuntime().addShutdownHook(new Thread(DemoIT::down));
    }

    @AfterAll
    static void down() {
        if (Files.exists(home)) {
            RunningSystem.run(
                    List.of(RunningSystem.ROOT.resolve("muster").toString(), "--home", home + "/demo", "down"),
                    Map.of());
            RunningSystem.deleteMemory(home.resolve("demo"));
            RunningSystem.deleteTree(home);
        }
    }

    private static RunningSystem.Finished demo(Path folder, String... options) {
        List<String> command = new ArrayList<>(List.of(
                RunningSystem.ROOT.resolve("muster").toString(),
                "--home",
                folder.toString(),
                "demo",
                "--port-offset",
                PORT_OFFSET));
        command.addAll(List.of(options));
        long began = System.nanoTime();
        RunningSystem.Finished finished = RunningSystem.run(command, Map.of());
        System.out.println(finished.output());
        System.out.printf("demo %s: %.1f s%n", List.of(options), (System.nanoTime() - began) / 1e9);
        return finished;
    }

    @Test
    @Order(1)
    void aNodeDiesWithAllItHasAndEveryLossIsThatOfAnUndisturbedRun() {
        RunningSystem.Finished demo = demo(home, "--json");
        assertThat(demo.code()).as(demo.output()).isZero();
        // on standard output alone; what is told goes to the other one, before and after it
        String text = demo.output();
        JsonNode found = JsonMapper.builder()
                .build()
                .readTree(text.substring(text.indexOf("\n{\n"), text.lastIndexOf("\n}\n") + 3));
        assertThat(found.get("right").booleanValue()).isTrue();
        assertThat(found.get("lossesIdentical").booleanValue()).isTrue();
        assertThat(found.get("committedStepsLost").intValue()).isZero();
        assertThat(found.get("stepsCompared").intValue()).isGreaterThanOrEqualTo(160);
        assertThat(found.get("attempts").intValue()).isGreaterThanOrEqualTo(2);
        for (String phase : List.of("Detected", "Placed", "Restored", "NextStep")) {
            assertThat(found.get("killTo" + phase + "Seconds").isNumber())
                    .as(phase)
                    .isTrue();
        }
        assertThat(found.get("readySeconds").doubleValue()).isPositive();
        assertThat(found.get("residentMegabytes").intValue()).isPositive();
    }

    @Test
    @Order(2)
    void itFailsAndNamesTheFirstDifferingStepIfOneBitOfOneParameterIsAnother() {
        RunningSystem.Finished demo = demo(home, "--again", "--control", "flipped-bit");
        assertThat(demo.code()).as(demo.output()).isEqualTo(1);
        assertThat(demo.output())
                .containsPattern("WRONG: step \\d+ is the first that differs: attempt \\d+ printed loss");
    }

    @Test
    @Order(3)
    void itFailsAndNamesTheFirstStepIfTheTrainerDoesNotRestore() {
        RunningSystem.Finished demo = demo(home, "--again", "--control", "no-restore");
        assertThat(demo.code()).as(demo.output()).isEqualTo(1);
        assertThat(demo.output()).containsPattern("WRONG: attempt \\d+ began at step 1 and not at step \\d+");
    }

    @Test
    @Order(4)
    void aMachineThatIsBusyAndUndisturbedOpensNoFault() {
        RunningSystem.Finished demo = demo(home, "--again", "--busy", "60");
        assertThat(demo.code()).as(demo.output()).isZero();
    }

    @Test
    @Order(5)
    void itRefusesInOneLineIfAnotherSystemHoldsThePorts() throws IOException {
        Path other = Files.createTempDirectory("muster-demo-other-");
        RunningSystem.Finished demo = demo(other);
        RunningSystem.deleteTree(other);
        assertThat(demo.code()).isEqualTo(1);
        assertThat(demo.output().lines()).singleElement().asString().contains("11080 (gateway)", "--port-offset");
    }
}

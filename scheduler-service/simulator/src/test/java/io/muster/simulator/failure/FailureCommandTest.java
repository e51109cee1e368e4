package io.muster.simulator.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FailureCommandTest {

    private static final String SMALL = "--job-nodes 40 --spares 8 --faults 100 --days 20 --runs 2";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String words) {
        return FailureCommand.run(
                List.of(words.split(" ")),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void theTableSaysRatioPhasesAndVerdict() {
        assertThat(run(SMALL)).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("384 GPUs in 48 nodes: one job on 40 nodes, 8 spares; 20 days, 2 runs from seed 1\n")
                .containsPattern("effective training time +\\d\\d\\.\\d{4} % +\\d\\d\\.\\d{4} % +\\d\\d\\.\\d{4} %\n")
                .containsPattern("  wait for a node +\\d+\\.\\d{4} % +\\d+\\.\\d{4} % +0\\.0000 %\n")
                .containsPattern("costs most +\\w")
                .contains("the formula (Meta, arXiv 2410.21680) expects");
    }

    @Test
    void theObjectHasTheSameFigures() {
        assertThat(run(SMALL + " --json")).isZero();

        JsonNode object = JsonMapper.builder().build().readTree(out.toByteArray());
        for (String kind : List.of("single", "correlated")) {
            JsonNode outcome = object.get(kind);
            long sum = 0;
            for (JsonNode part : outcome.get("phaseMillis")) {
                sum += part.longValue();
            }
            assertThat(sum).isEqualTo(outcome.get("wallMillis").longValue()).isEqualTo(2 * 20 * 86_400_000L);
            assertThat(outcome.get("effective").doubleValue())
                    .isEqualTo((double) outcome.get("phaseMillis").get("USEFUL").longValue() / sum);
        }
        assertThat(object.get("formula").get("tolerance").doubleValue()).isPositive();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--days none|--days none; a whole number from 1 to 3650 is needed",
                "--faults -1|--faults -1; a number of faults per 1,000 node-days such as 6.5, up to 9999, is needed",
                "--phases guessed|--phases guessed; measured or published is needed",
                "--colour|--colour is not an option; --help tells those there are",
                "--seed|--seed needs a value; --help tells which"
            })
    void whatIsNotUnderstoodIsSaid(String words, String message) {
        assertThat(run(words)).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(message + System.lineSeparator());
        assertThat(out.size()).isZero();
    }

    @Test
    void savesAreAsFarApartAsWasSaid() {
        assertThat(FailureOptions.parse(List.of("--save-every", "600"))
                        .settings()
                        .checkpoints()
                        .intervalMillis())
                .isEqualTo(600_000);
        assertThat(FailureOptions.parse(List.of()).settings().checkpoints().intervalMillis())
                .isEqualTo(15_000);
    }
}

package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Rules read only what is measured, and every alert has its test and its section in {@code docs/sre.md}. Where Prometheus is installed,
 * its own {@code promtool} runs the tests of the rules.
 */
class RulesTest {

    private static final Path PROMETHEUS = MetricCatalogue.OBSERVABILITY.resolve("prometheus");
    private static final Pattern LABEL = Pattern.compile("\\$labels\\.([a-z_]+)");
    private static final Pattern COMMAND =
            Pattern.compile("(?m)^(?:\\./muster |curl |kcat |python3 |sudo |ss |ip |df |tail |grep |kill |ls )");

    private final MetricCatalogue catalogue = MetricCatalogue.read();
    private final Queries queries = Queries.of(catalogue);

    @Test
    void everyRecordingRuleReadsOnlyWhatIsMeasured() throws IOException {
        List<JsonNode> rules = rules("recording.yml");
        assertThat(rules).isNotEmpty().allSatisfy(rule -> {
            String name = rule.get("record").stringValue();
            assertThat(name).matches("muster:[a-z_]+:[a-z0-9_]+");
            queries.check(rule.get("expr").stringValue());
        });
    }

    @Test
    void everyAlertReadsOnlyWhatIsMeasuredAndSaysWhatItSays() throws IOException {
        List<JsonNode> alerts = alerts();
        assertThat(alerts.stream().map(RulesTest::name)).doesNotHaveDuplicates();
        assertThat(alerts).isNotEmpty().allSatisfy(alert -> {
            assertThat(name(alert)).startsWith("Muster");
            PromQl.Checked checked = queries.check(alert.get("expr").stringValue());
            assertThat(alert.get("labels").get("severity").stringValue()).isIn("page", "ticket");
            String summary = alert.get("annotations").get("summary").stringValue();
            assertThat(checked.labels())
                    .as("labels that the summary of %s names", name(alert))
                    .containsAll(LABEL.matcher(summary)
                            .results()
                            .map(found -> found.group(1))
                            .toList());
            assertThat(alert.get("annotations").get("runbook").stringValue())
                    .isEqualTo("docs/sre.md#" + name(alert).toLowerCase(Locale.ROOT));
        });
    }

    @Test
    void everyAlertHasItsRunbookWithThreeCommandsAndNoRunbookIsLeftOver() throws IOException {
        String page = Files.readString(MetricCatalogue.ROOT.resolve("docs/sre.md"));
        List<String> sections = new ArrayList<>();
        for (String section : page.split("(?m)^### ", -1)) {
            String title = section.lines().findFirst().orElse("").strip();
            if (title.startsWith("Muster")) {
                sections.add(title);
                assertThat(COMMAND.matcher(section).results().count())
                        .as("commands of %s", title)
                        .isEqualTo(3);
                assertThat(section.lines().skip(1).findFirst().orElse(""))
                        .as("what %s means", title)
                        .isBlank();
            }
        }
        assertThat(sections)
                .containsExactlyInAnyOrderElementsOf(
                        alerts().stream().map(RulesTest::name).toList());
    }

    @Test
    void everyAlertIsTestedToFireAndToBeSilent() throws IOException {
        Set<String> fires = new TreeSet<>();
        Set<String> silent = new TreeSet<>();
        for (Path file : testFiles()) {
            for (JsonNode test :
                    new YAMLMapper().readTree(Files.readString(file)).get("tests")) {
                for (JsonNode expectation : test.path("alert_rule_test")) {
                    String alert = expectation.get("alertname").stringValue();
                    (expectation.path("exp_alerts").isEmpty() ? silent : fires).add(alert);
                }
            }
        }
        List<String> all = alerts().stream().map(RulesTest::name).sorted().toList();
        assertThat(fires).containsExactlyElementsOf(all);
        assertThat(silent).containsExactlyElementsOf(all);
    }

    @Test
    void testsOfRulesFeedThemOnlyWhatIsMeasured() throws IOException {
        for (Path file : testFiles()) {
            for (JsonNode test :
                    new YAMLMapper().readTree(Files.readString(file)).get("tests")) {
                test.get("input_series")
                        .forEach(
                                input -> queries.checkSeries(input.get("series").stringValue()));
            }
        }
    }

    @Test
    void promtoolAgrees() throws Exception {
        Optional<Path> promtool = promtool();
        assumeThat(promtool)
                .as("promtool is not installed (Debian: prometheus)")
                .isPresent();
        List<List<String>> runs = new ArrayList<>();
        runs.add(List.of("check", "config", PROMETHEUS.resolve("prometheus.yml").toString()));
        for (Path file : testFiles()) {
            runs.add(List.of("test", "rules", file.toString()));
        }
        for (List<String> arguments : runs) {
            List<String> command = new ArrayList<>(List.of(promtool.get().toString()));
            command.addAll(arguments);
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
        }
    }

    private static Optional<Path> promtool() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(java.io.File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "promtool"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static List<Path> testFiles() throws IOException {
        try (Stream<Path> files = Files.list(PROMETHEUS.resolve("tests"))) {
            return files.sorted().toList();
        }
    }

    private static List<JsonNode> alerts() throws IOException {
        return rules("alerts.yml");
    }

    private static String name(JsonNode alert) {
        return alert.get("alert").stringValue();
    }

    static List<JsonNode> rules(String file) throws IOException {
        List<JsonNode> rules = new ArrayList<>();
        for (JsonNode group : new YAMLMapper()
                .readTree(Files.readString(PROMETHEUS.resolve(file)))
                .get("groups")) {
            group.get("rules").forEach(rules::add);
        }
        return rules;
    }
}

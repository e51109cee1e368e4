package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.Topics;
import io.muster.contract.fault.FaultState;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What {@code docs/sre.md} names exists: the fields of a fault, topics, commands, metrics and files. */
class SrePageTest {

    private final String page;

    SrePageTest() throws IOException {
        page = Files.readString(MetricCatalogue.ROOT.resolve("docs/sre.md"));
    }

    @Test
    void theFieldsAreThoseOfAFault() {
        assertThat(found("(?m)^\\| `([a-zA-Z]+)` \\|"))
                .containsExactlyElementsOf(Arrays.stream(FaultState.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
    }

    @Test
    void theTopicsExist() {
        List<String> topics = Arrays.stream(Topics.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()))
                .map(field -> {
                    try {
                        return field.get(null).toString();
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .toList();
        assertThat(found("-t (\\S+)")).isNotEmpty().isSubsetOf(topics);
    }

    @Test
    void theCommandsExist() throws IOException {
        String commandLine = Files.readString(MetricCatalogue.ROOT.resolve("deploy/local/cli/muster_cli/__main__.py"));
        assertThat(new TreeSet<>(found("\\./muster ([a-z]+)")))
                .isNotEmpty()
                .allSatisfy(command -> assertThat(commandLine).contains("add_parser(\"" + command + "\""));
    }

    @Test
    void theMetricsThatAreNamedExist() {
        Queries queries = Queries.of(MetricCatalogue.read());
        assertThat(found("\\b(muster:[a-z_]+:[a-z0-9_]+)")).isNotEmpty().allSatisfy(queries::check);
        List<String> metrics = MetricCatalogue.read().metrics().stream()
                .map(MetricCatalogue.Metric::name)
                .toList();
        assertThat(found("\\b((?:muster|hikaricp|jvm|process|http)_[a-z_]+)"))
                .isNotEmpty()
                .allSatisfy(named -> assertThat(metrics)
                        .as("a metric that begins with %s", named)
                        .anyMatch(metric -> metric.startsWith(named) || named.startsWith(metric)));
    }

    @Test
    void theFilesExist() {
        assertThat(found("\\b((?:deploy|contracts|docs)/[A-Za-z0-9_./-]*[a-z])"))
                .isNotEmpty()
                .allSatisfy(
                        file -> assertThat(MetricCatalogue.ROOT.resolve(file)).exists());
    }

    private List<String> found(String pattern) {
        return Pattern.compile(pattern)
                .matcher(page)
                .results()
                .map(result -> result.group(1))
                .distinct()
                .toList();
    }
}

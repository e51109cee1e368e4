package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every meter in the services' sources is in the catalogue with its type and labels, and the catalogue has no other. */
class MeterSourcesTest {

    private static final Map<String, List<String>> MODULES = Map.of(
            "job-service", List.of("job-service"),
            "quota-service", List.of("quota-service"),
            "scheduler-service", List.of("scheduler-service"),
            "health-service", List.of("health-service"),
            "checkpoint-service", List.of("checkpoint-service"),
            "gateway", List.of("gateway"),
            "messaging",
                    List.of(
                            "job-service",
                            "quota-service",
                            "scheduler-service",
                            "health-service",
                            "checkpoint-service"),
            "edge",
                    List.of(
                            "job-service",
                            "quota-service",
                            "scheduler-service",
                            "health-service",
                            "checkpoint-service",
                            "gateway"));

    private static final Pattern METER = Pattern.compile(
            "(?:\\b(Timer|Counter|Gauge|MultiGauge|DistributionSummary)\\s*\\.builder|\\b(timer|counter|gauge))"
                    + "\\(\\s*\"(muster[._][a-z._]+)\"");
    private static final Pattern LITERAL = Pattern.compile("\"(muster[._][a-z._]+)\"");
    private static final Pattern UNIT = Pattern.compile("\\.baseUnit\\(\"([a-z]+)\"\\)");

    private final MetricCatalogue catalogue = MetricCatalogue.read();

    /** @param name as Prometheus has it */
    private record Meter(String name, String kind, String source) {}

    @Test
    void theCatalogueIsWhatTheSourcesRegister() throws IOException {
        Map<String, TreeSet<String>> registered = new TreeMap<>();
        for (var module : MODULES.entrySet()) {
            for (Meter meter : meters(module.getKey())) {
                registered.computeIfAbsent(meter.name(), _ -> new TreeSet<>()).addAll(module.getValue());
            }
        }
        Map<String, TreeSet<String>> told = new TreeMap<>();
        catalogue.metrics().stream()
                .filter(metric -> metric.name().startsWith("muster_"))
                .forEach(metric -> told.put(metric.name(), new TreeSet<>(metric.services())));
        assertThat(told).isEqualTo(registered);
    }

    @Test
    void typesAndLabelsAreThoseOfTheSources() throws IOException {
        for (String module : MODULES.keySet()) {
            for (Meter meter : meters(module)) {
                MetricCatalogue.Metric told = catalogue.metric(meter.name()).orElseThrow();
                List<String> types = switch (meter.kind()) {
                    case "timer" -> List.of("histogram", "summary");
                    case "counter" -> List.of("counter");
                    default -> List.of("gauge");
                };
                assertThat(told.type()).as(meter.name()).isIn(types);
                assertThat(told.labels().keySet())
                        .as("labels of %s in the source that registers it", meter.name())
                        .allSatisfy(label -> assertThat(meter.source()).contains('"' + label + '"'));
            }
        }
    }

    @Test
    void aNameThatIsNoMeterYetIsNotOverlooked() throws IOException {
        for (String module : MODULES.keySet()) {
            for (String source : measuring(module)) {
                List<String> literals = LITERAL.matcher(source)
                        .results()
                        .map(found -> found.group(1))
                        .toList();
                List<String> meters = METER.matcher(source)
                        .results()
                        .map(found -> found.group(3))
                        .toList();
                assertThat(meters).containsAll(literals);
            }
        }
    }

    private static List<Meter> meters(String module) throws IOException {
        List<Meter> found = new ArrayList<>();
        for (String source : measuring(module)) {
            Matcher matcher = METER.matcher(source);
            while (matcher.find()) {
                String kind = (matcher.group(1) == null ? matcher.group(2) : matcher.group(1)).toLowerCase(Locale.ROOT);
                int end = source.indexOf(';', matcher.end());
                Matcher unit = UNIT.matcher(source.substring(matcher.start(), end));
                String name = matcher.group(3).replace('.', '_') + (unit.find() ? "_" + unit.group(1) : "");
                found.add(new Meter(name + suffix(kind, name), kind, source));
            }
        }
        return found;
    }

    /** As Micrometer's convention for Prometheus adds it. */
    private static String suffix(String kind, String name) {
        return switch (kind) {
            case "counter" -> "_total";
            case "timer" -> name.endsWith("_seconds") ? "" : "_seconds";
            default -> "";
        };
    }

    /** The sources that have to do with meters. */
    private static List<String> measuring(String module) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(MetricCatalogue.ROOT.resolve(module))) {
            List<Path> sources = files.filter(file -> file.toString().contains("src/main/java"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
            for (Path source : sources) {
                String text = Files.readString(source);
                if (text.contains("io.micrometer.core.instrument")) {
                    found.add(text);
                }
            }
        }
        return found;
    }
}

package io.muster.local.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code deploy/observability/metrics.json}: what each service measures. It is compared with the meters in the sources by {@link MeterSourcesTest} and with
 * what a running system answers by {@code PublishedIT}, so that what queries are checked against is true.
 */
public final class MetricCatalogue {

    public static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    static final Path OBSERVABILITY = ROOT.resolve("deploy/observability");

    /**
     * @param type gauge, counter, histogram or summary
     * @param when {@code start}: every instance shows it from its start; {@code event}: when it has something to show; {@code prometheus}: not
     *     of a service
     * @param labels with their possible values; empty: any
     */
    public record Metric(
            String name, String type, List<String> services, String when, Map<String, List<String>> labels) {}

    private final Map<String, Metric> metrics = new TreeMap<>();

    private MetricCatalogue() {}

    public static MetricCatalogue read() {
        try {
            MetricCatalogue catalogue = new MetricCatalogue();
            JsonNode file =
                    JsonMapper.builder().build().readTree(Files.readString(OBSERVABILITY.resolve("metrics.json")));
            for (JsonNode metric : file.get("metrics")) {
                Metric read = metric(metric);
                if (catalogue.metrics.put(read.name(), read) != null) {
                    throw new AssertionError(read.name() + " is there twice");
                }
            }
            return catalogue;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Metric metric(JsonNode node) {
        Map<String, List<String>> labels = new TreeMap<>();
        node.get("labels").properties().forEach(label -> labels.put(label.getKey(), values(label.getValue())));
        return new Metric(
                node.get("name").stringValue(),
                node.get("type").stringValue(),
                node.get("services").valueStream().map(JsonNode::stringValue).toList(),
                node.get("when").stringValue(),
                labels);
    }

    /** {@code any}, the names of an enum, or a list. */
    private static List<String> values(JsonNode node) {
        if (node.isArray()) {
            return node.valueStream().map(JsonNode::stringValue).toList();
        }
        if (node.stringValue().equals("any")) {
            return List.of();
        }
        try {
            Object[] constants = Class.forName(node.stringValue()).getEnumConstants();
            return Arrays.stream(constants)
                    .map(constant -> ((Enum<?>) constant).name())
                    .toList();
        } catch (ClassNotFoundException e) {
            throw new AssertionError("no such enum: " + node, e);
        }
    }

    public List<Metric> metrics() {
        return new ArrayList<>(metrics.values());
    }

    public Optional<Metric> metric(String name) {
        return Optional.ofNullable(metrics.get(name));
    }

    /** What a scraped name stands for: the parts of histograms and summaries are series of their own. */
    Optional<Series> series(String name) {
        return base(name).map(metric -> {
            String part = name.substring(metric.name().length());
            Map<String, List<String>> labels = new LinkedHashMap<>(metric.labels());
            labels.put("job", metric.when().equals("prometheus") ? List.of() : metric.services());
            labels.put("instance", List.of());
            if (part.equals("_bucket")) {
                labels.put("le", List.of());
            }
            if (part.isEmpty() && metric.type().equals("summary")) {
                labels.put("quantile", List.of("0.5", "0.95"));
            }
            boolean rises = metric.type().equals("counter")
                    || Set.of("_bucket", "_count", "_sum").contains(part);
            return new Series(rises, labels);
        });
    }

    /** The metric that a name of a sample belongs to. */
    public Optional<Metric> base(String name) {
        Metric whole = metrics.get(name);
        if (whole != null && !whole.type().equals("histogram")) {
            return Optional.of(whole);
        }
        return metrics.values().stream()
                .filter(metric -> parts(metric).anyMatch(part -> name.equals(metric.name() + part)))
                .findFirst();
    }

    private static Stream<String> parts(Metric metric) {
        return switch (metric.type()) {
            case "histogram" -> Stream.of("_bucket", "_count", "_sum", "_max");
            case "summary" -> Stream.of("_count", "_sum", "_max");
            default -> Stream.of();
        };
    }
}

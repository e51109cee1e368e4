package io.muster.local.observability;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a service answers Prometheus, compared with what the catalogue says of it. */
public final class Scrape {

    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");

    private final MetricCatalogue catalogue;
    private final String service;
    private final Set<String> seen = new TreeSet<>();
    private final List<String> problems = new ArrayList<>();

    private Scrape(MetricCatalogue catalogue, String service) {
        this.catalogue = catalogue;
        this.service = service;
    }

    /**
     * Empty if every metric of Muster is told of with its type, labels and values, and those that a service shows from its start are there; metrics of the
     * frameworks only need what the catalogue says of them.
     */
    public static List<String> problems(MetricCatalogue catalogue, String service, String text) {
        Scrape scrape = new Scrape(catalogue, service);
        text.lines().forEach(scrape::line);
        catalogue.metrics().stream()
                .filter(metric ->
                        metric.when().equals("start") && metric.services().contains(service))
                .filter(metric -> !scrape.seen.contains(metric.name()))
                .forEach(metric -> scrape.problems.add(service + " does not show " + metric.name()));
        return scrape.problems;
    }

    private void line(String line) {
        Matcher type = TYPE.matcher(line);
        Matcher sample = SAMPLE.matcher(line);
        if (type.matches()) {
            type(type.group(1), type.group(2));
        } else if (!line.startsWith("#") && sample.matches()) {
            sample(sample.group(1), sample.group(2) == null ? "" : sample.group(2));
        } else if (!line.startsWith("#") && !line.isBlank()) {
            problems.add(service + " answers what is no sample: " + line);
        }
    }

    private void type(String name, String type) {
        catalogue
                .metric(name)
                .filter(metric -> !metric.type().equals(type))
                .ifPresent(metric -> problems.add(
                        name + " is a " + type + " and not a " + metric.type() + " as the catalogue says"));
    }

    private void sample(String name, String labels) {
        MetricCatalogue.Metric metric = catalogue.base(name).orElse(null);
        if (metric == null) {
            if (name.startsWith("muster_")) {
                problems.add(service + " shows " + name + ", which the catalogue does not have");
            }
            return;
        }
        seen.add(metric.name());
        if (!metric.services().contains(service)) {
            problems.add(name + " is shown by " + service + ", which the catalogue does not say");
        }
        Series series = catalogue.series(name).orElseThrow();
        Set<String> missing = new TreeSet<>(series.labels().keySet());
        missing.removeAll(Set.of("job", "instance"));
        Matcher label = LABEL.matcher(labels);
        while (label.find()) {
            List<String> values = series.labels().get(label.group(1));
            if (!missing.remove(label.group(1))) {
                problems.add(name + " has the label " + label.group(1) + ", which the catalogue does not have");
            } else if (!values.isEmpty() && !values.contains(label.group(2))) {
                problems.add(name + "{" + label.group(1) + "} is " + label.group(2) + ", not one of " + values);
            }
        }
        // a summary without quantiles shows only its count and sum
        if (!missing.isEmpty()) {
            problems.add(name + " lacks the labels " + missing);
        }
    }
}

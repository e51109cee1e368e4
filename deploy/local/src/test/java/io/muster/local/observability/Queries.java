package io.muster.local.observability;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Checks queries against the catalogue and what the recording rules make of it. */
final class Queries {

    private final MetricCatalogue catalogue;
    private final Map<String, Series> recorded = new LinkedHashMap<>();

    private Queries(MetricCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** A recording rule may read only those before it. */
    static Queries of(MetricCatalogue catalogue) {
        Queries queries = new Queries(catalogue);
        try {
            for (JsonNode rule : RulesTest.rules("recording.yml")) {
                PromQl.Checked checked = queries.check(rule.get("expr").stringValue());
                queries.record(rule.get("record").stringValue(), checked);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return queries;
    }

    /** Labels keep their values if all that the rule reads agree on them. */
    private void record(String name, PromQl.Checked checked) {
        Map<String, List<String>> labels = new LinkedHashMap<>();
        for (String label : checked.labels()) {
            List<List<String>> values = checked.names().stream()
                    .map(read -> series(read).orElseThrow().labels().get(label))
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
            labels.put(label, values.size() == 1 ? values.getFirst() : List.of());
        }
        recorded.put(name, new Series(false, labels));
    }

    PromQl.Checked check(String query) {
        try {
            return PromQl.check(query, this::series);
        } catch (PromQlException e) {
            throw new AssertionError(e.getMessage() + "\n  in " + query, e);
        }
    }

    void checkSeries(String series) {
        try {
            PromQl.checkSeries(series, this::series);
        } catch (PromQlException e) {
            throw new AssertionError(e.getMessage() + "\n  in " + series, e);
        }
    }

    private Optional<Series> series(String name) {
        Series known = recorded.get(name);
        return known == null ? catalogue.series(name) : Optional.of(known);
    }
}

package io.muster.edge.metrics;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts of things by their tags. A row once shown stays and only its number changes, to 0 when there is nothing of its
 * kind: rows that are taken away and made anew with every look appear twice, or not at all, to a scrape that comes in
 * between, and a row that is there twice makes the whole scrape fail.
 */
public final class CountGauge {

    private final MultiGauge gauge;
    private final Map<Tags, AtomicLong> rows = new LinkedHashMap<>();

    public CountGauge(MultiGauge gauge) {
        this.gauge = gauge;
    }

    /** All there is now; what is not among it is 0. */
    public synchronized void show(Map<Tags, ? extends Number> counts) {
        counts.keySet().forEach(tags -> rows.computeIfAbsent(tags, any -> new AtomicLong()));
        rows.forEach((tags, row) -> {
            Number count = counts.get(tags);
            row.set(count == null ? 0 : count.longValue());
        });
        List<MultiGauge.Row<AtomicLong>> all = rows.entrySet().stream()
                .map(row -> MultiGauge.Row.of(row.getKey(), row.getValue(), AtomicLong::doubleValue))
                .toList();
        gauge.register(all, false);
    }
}

package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.edge.metrics.CountGauge;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Counts that come and go while somebody scrapes. */
class ScrapeTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final CountGauge gauge =
            new CountGauge(MultiGauge.builder("muster.test.things").register(registry));

    @Test
    void everyScrapeSucceedsAndShowsEachRowOnceWhileRowsComeAndGo() {
        gauge.show(Map.of(Tags.of("kind", "a"), 1));
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            for (int look = 0; !over.get(); look++) {
                gauge.show(look % 2 == 0 ? Map.of(Tags.of("kind", "a"), 1) : Map.of(Tags.of("kind", "b"), 2));
            }
        });
        try {
            for (int scrape = 0; scrape < 3000; scrape++) {
                assertThat(registry.scrape().lines().filter(line -> line.startsWith("muster_test_things{kind=\"a\"}")))
                        .hasSize(1);
            }
        } finally {
            over.set(true);
            writer.join();
        }
    }

    @Test
    void whatIsNotThereAnyMoreIsZero() {
        gauge.show(Map.of(Tags.of("kind", "a"), 3, Tags.of("kind", "b"), 4));
        gauge.show(Map.of(Tags.of("kind", "b"), 5));
        assertThat(registry.scrape()).contains("kind=\"a\"} 0.0", "kind=\"b\"} 5.0");
        gauge.show(Map.of());
        assertThat(registry.scrape()).contains("kind=\"a\"} 0.0", "kind=\"b\"} 0.0");
    }
}

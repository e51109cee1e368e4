package io.muster.quota.tree;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Guaranteed, used and limit of every quota node, read anew every few seconds. A node without a limit of its own has no
 * limit gauge; a removed node has none of them.
 */
@Component
class QuotaMetrics {

    private final ReadTree readTree;
    private final MultiGauge guaranteed;
    private final MultiGauge used;
    private final MultiGauge limit;

    QuotaMetrics(ReadTree readTree, MeterRegistry registry) {
        this.readTree = readTree;
        this.guaranteed = gauge("muster_quota_guaranteed_gpus", "GPUs that the node may always have", registry);
        this.used = gauge("muster_quota_used_gpus", "GPUs held at the node and below", registry);
        this.limit = gauge("muster_quota_limit_gpus", "GPUs that the node may have at most", registry);
    }

    @Scheduled(fixedDelayString = "${muster.quota.metrics-interval:5s}")
    void refresh() {
        List<NodeUse.Figures> figures = readTree.figures();
        guaranteed.register(rows(figures, NodeUse.Figures::guaranteedGpus), true);
        used.register(rows(figures, NodeUse.Figures::usedGpus), true);
        limit.register(
                figures.stream()
                        .flatMap(node -> node.limitGpus() == null
                                ? Stream.<Row<?>>empty()
                                : Stream.<Row<?>>of(row(node, node.limitGpus())))
                        .toList(),
                true);
    }

    private static List<Row<?>> rows(List<NodeUse.Figures> figures, ToLongFunction<NodeUse.Figures> value) {
        return figures.stream()
                .<Row<?>>map(node -> row(node, value.applyAsLong(node)))
                .toList();
    }

    private static Row<?> row(NodeUse.Figures node, long value) {
        return Row.of(Tags.of("node", node.path().value()), value);
    }

    private static MultiGauge gauge(String name, String description, MeterRegistry registry) {
        return MultiGauge.builder(name).description(description).register(registry);
    }
}

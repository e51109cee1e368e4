package io.muster.health.heartbeat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.edge.metrics.CountGauge;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.node.NodeRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Counts nodes, GPUs and holds. Only the judge reports them, so that sums over instances are right. */
@Component
@Order(9)
class NodeGauges implements JudgeDuty {

    private final Watches watches;
    private final CountGauge nodes;
    private final CountGauge gpus;
    private final CountGauge holds;

    NodeGauges(Watches watches, MeterRegistry meters) {
        this.watches = watches;
        this.nodes = new CountGauge(MultiGauge.builder("muster.nodes")
                .description("Nodes by condition")
                .register(meters));
        this.gpus = new CountGauge(MultiGauge.builder("muster.inventory.gpus")
                .description("GPUs of the registered nodes: free of holds or held")
                .register(meters));
        this.holds = new CountGauge(MultiGauge.builder("muster.holds")
                .description("Open holds by effect and cause")
                .register(meters));
    }

    @Override
    public void perform() {
        report(watches.records());
    }

    @Override
    public void seatLost() {
        report(List.of());
    }

    private void report(List<NodeRecord> records) {
        Map<Tags, Integer> byCondition = new LinkedHashMap<>();
        for (NodeCondition condition : NodeCondition.values()) {
            byCondition.put(Tags.of("condition", condition.name()), 0);
        }
        Map<Tags, Integer> byState = new LinkedHashMap<>();
        Map<Tags, Integer> byCause = new LinkedHashMap<>();
        for (NodeRecord node : records) {
            byCondition.merge(Tags.of("condition", node.condition().name()), 1, Integer::sum);
            int total = node.facts().gpus().size();
            int held = heldGpus(node, total);
            byState.merge(Tags.of("state", "held"), held, Integer::sum);
            byState.merge(Tags.of("state", "free_of_holds"), total - held, Integer::sum);
            for (Hold hold : node.holds().holds()) {
                byCause.merge(Tags.of("effect", hold.effect().name(), "cause", hold.cause()), 1, Integer::sum);
            }
        }
        nodes.show(byCondition);
        gpus.show(byState);
        holds.show(byCause);
    }

    private static int heldGpus(NodeRecord node, int total) {
        List<Hold> open = node.holds().holds();
        if (open.stream().anyMatch(hold -> hold.scope() != HoldScope.GPU)) {
            return total;
        }
        return (int) open.stream().map(Hold::target).distinct().count();
    }
}

package io.muster.health.heartbeat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.Place;
import io.muster.health.lease.Places;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.NodeWatcher;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** The judge's memory of every node, filled when it takes the seat and kept up by what this instance commits. */
@Component
@Order(0)
public class Watches implements NodeWatcher, JudgeDuty, Places {

    private final ConcurrentSkipListMap<NodeId, NodeWatch> byNode = new ConcurrentSkipListMap<>();
    private final String minimumAgentVersion;

    Watches(HeartbeatProperties properties) {
        this.minimumAgentVersion = properties.minimumAgentVersion();
    }

    @Override
    public void seatTaken(List<NodeRecord> nodes) {
        byNode.clear();
        nodes.forEach(node -> byNode.put(node.node(), NodeWatch.ofStored(node, minimumAgentVersion)));
    }

    @Override
    public void seatLost() {
        byNode.clear();
    }

    @Override
    public void perform() {
        // the memory needs no upkeep of its own
    }

    @Override
    public void changed(NodeRecord node) {
        byNode.compute(node.node(), (id, known) -> {
            if (known == null || known.record().session() < node.session()) {
                return NodeWatch.ofRegistered(node, minimumAgentVersion);
            }
            known.learn(node);
            return known;
        });
    }

    /** A preflight has told of failing checks and has opened their hold. */
    public void preflightFound(NodeId node, List<CheckResult> failing) {
        NodeWatch watch = byNode.get(node);
        if (watch != null) {
            synchronized (watch) {
                watch.tellFailing(failing);
            }
        }
    }

    /** All nodes as this instance last saw them written. */
    public List<NodeRecord> records() {
        return byNode.values().stream().map(NodeWatch::record).toList();
    }

    @Override
    public Optional<Place> placeOf(NodeId node) {
        return of(node).map(NodeWatch::record)
                .map(NodeRecord::facts)
                .map(facts -> new Place(facts.domains(), facts.agentAddress(), facts.agentPort()));
    }

    Optional<NodeWatch> of(NodeId node) {
        return Optional.ofNullable(byNode.get(node));
    }

    NodeWatch put(NodeRecord stored) {
        NodeWatch watch = NodeWatch.ofStored(stored, minimumAgentVersion);
        byNode.put(stored.node(), watch);
        return watch;
    }
}

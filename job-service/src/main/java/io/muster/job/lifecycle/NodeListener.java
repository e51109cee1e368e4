package io.muster.job.lifecycle;

import io.muster.contract.node.NodeState;
import io.muster.messaging.EventHandler;
import io.muster.messaging.EventMetadata;
import org.springframework.stereotype.Component;

/** What health-service says of a node. */
@Component
class NodeListener implements EventHandler<NodeState> {

    private final NodeLosses losses;

    NodeListener(NodeLosses losses) {
        this.losses = losses;
    }

    @Override
    public void apply(EventMetadata metadata, NodeState state) {
        losses.learn(state);
    }
}

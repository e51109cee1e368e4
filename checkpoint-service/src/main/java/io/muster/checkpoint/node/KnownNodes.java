package io.muster.checkpoint.node;

import io.muster.contract.Topics;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeState;
import io.muster.messaging.EventSubscription;
import java.util.Collection;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;

/**
 * The nodes as far as health-service has told of them. What is behind here makes a copy count too little for a moment,
 * or lets a restore name a copy that is just gone; agents verify every copy before any rank starts.
 */
@Service
public class KnownNodes {

    private final KnownNodeRepository nodes;

    KnownNodes(KnownNodeRepository nodes) {
        this.nodes = nodes;
    }

    /** Those of them that have been heard of. */
    public Map<NodeId, KnownNode> of(Collection<NodeId> asked) {
        return nodes.find(asked);
    }

    /** In the consumer's transaction. */
    void record(NodeState state) {
        nodes.put(KnownNode.of(state));
    }

    @Configuration(proxyBeanMethods = false)
    static class Subscriptions {

        @Bean
        EventSubscription<NodeState> nodesThatHoldCopies(KnownNodes nodes) {
            return new EventSubscription<>(
                    "checkpoint-nodes", Topics.NODES, NodeState.class, (event, state) -> nodes.record(state));
        }
    }
}

package io.muster.job.lifecycle;

import io.muster.contract.Topics;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.EventSubscription;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What job-service listens to about jobs. The names are kept in the database: they never change. */
@Configuration(proxyBeanMethods = false)
class LifecycleConfiguration {

    @Bean
    StartLimits startLimits(
            @Value("${muster.job.preflight-limit:60s}") Duration preflight,
            @Value("${muster.job.start-limit:30m}") Duration start) {
        return new StartLimits(preflight, start);
    }

    @Bean
    EventSubscription<PlacementState> placements(PlacementListener listener) {
        return new EventSubscription<>("job-placements", Topics.PLACEMENTS, PlacementState.class, listener);
    }

    @Bean
    EventSubscription<NodeState> nodes(NodeListener listener) {
        return new EventSubscription<>("job-nodes", Topics.NODES, NodeState.class, listener);
    }

    @Bean
    EventSubscription<CheckpointState> checkpoints(CheckpointViews views) {
        return new EventSubscription<>(
                "job-checkpoints", Topics.CHECKPOINTS, CheckpointState.class, (metadata, state) -> views.put(state));
    }
}

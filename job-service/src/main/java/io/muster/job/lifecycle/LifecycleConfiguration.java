package io.muster.job.lifecycle;

import io.muster.contract.Topics;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.identity.IdentityProperties;
import io.muster.messaging.EventSubscription;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Base64;
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
    RepairWait repairWait(@Value("${muster.job.repair-wait:10m}") Duration limit) {
        return new RepairWait(limit);
    }

    @Bean
    Shunning shunning(@Value("${muster.job.shun-time:10m}") Duration limit) {
        return new Shunning(limit);
    }

    /** From the file that also signs the services' tokens, which has checked by then who may read it. */
    @Bean
    PeerKeys peerKeys(IdentityProperties identity) throws IOException {
        String text = Files.readString(identity.serviceSecret(), StandardCharsets.US_ASCII);
        return new PeerKeys(Base64.getUrlDecoder().decode(text.strip()));
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
    EventSubscription<CheckpointState> checkpoints(CheckpointViews views, WasteRecords waste) {
        return new EventSubscription<>(
                "job-checkpoints", Topics.CHECKPOINTS, CheckpointState.class, (metadata, state) -> {
                    views.put(state);
                    waste.committed(state);
                });
    }
}

package io.muster.scheduler.intake;

import io.muster.contract.Topics;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeState;
import io.muster.contract.quota.QuotaTree;
import io.muster.messaging.EventHandler;
import io.muster.messaging.EventMetadata;
import io.muster.messaging.EventSubscription;
import io.muster.scheduler.translation.JobRecords;
import io.muster.scheduler.translation.NodeRecords;
import io.muster.scheduler.translation.QuotaRecords;
import io.muster.scheduling.cluster.ClusterRecord;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What this service listens to: three topics, each into its projection, each waking the decision thread after commit. A
 * state that the core cannot express throws before it is stored: its key is parked and seen, and the decision thread,
 * which serves all keys, never meets it.
 */
@Configuration(proxyBeanMethods = false)
class IntakeConfiguration {

    @Bean
    EventSubscription<JobState> jobs(ProjectionRepository projections, ChangeSignal signal) {
        return new EventSubscription<>(
                "scheduler-jobs",
                Topics.JOBS,
                JobState.class,
                new IntoProjection<>(JobRecords::of, projections::save, signal));
    }

    @Bean
    EventSubscription<NodeState> nodes(ProjectionRepository projections, ChangeSignal signal) {
        return new EventSubscription<>(
                "scheduler-nodes",
                Topics.NODES,
                NodeState.class,
                new IntoProjection<>(NodeRecords::of, projections::save, signal));
    }

    @Bean
    EventSubscription<QuotaTree> quotas(ProjectionRepository projections, ChangeSignal signal) {
        return new EventSubscription<>(
                "scheduler-quotas",
                Topics.QUOTAS,
                QuotaTree.class,
                new IntoProjection<>(QuotaRecords::of, projections::save, signal));
    }

    private record IntoProjection<T>(Function<T, ClusterRecord> check, ObjLongConsumer<T> save, ChangeSignal signal)
            implements EventHandler<T> {

        @Override
        public void apply(EventMetadata metadata, T state) {
            Objects.requireNonNull(check.apply(state));
            save.accept(state, metadata.sequence());
        }

        @Override
        public void committed(EventMetadata metadata, T state) {
            signal.raise();
        }
    }
}

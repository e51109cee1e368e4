package io.muster.health.fault;

import io.muster.contract.Topics;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.job.JobState;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.EventSubscription;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class FaultSubscriptions {

    @Bean
    EventSubscription<JobState> faultsOfJobs(JobFaults faults) {
        return new EventSubscription<>("fault-jobs", Topics.JOBS, JobState.class, faults::job);
    }

    @Bean
    EventSubscription<PlacementState> faultsOfPlacements(JobFaults faults) {
        return new EventSubscription<>("fault-placements", Topics.PLACEMENTS, PlacementState.class, faults::placement);
    }

    @Bean
    EventSubscription<CheckpointState> faultsOfCheckpoints(JobFaults faults) {
        return new EventSubscription<>(
                "fault-checkpoints", Topics.CHECKPOINTS, CheckpointState.class, faults::checkpoint);
    }
}

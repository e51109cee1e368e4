package io.muster.job.lifecycle;

import io.muster.contract.placement.PlacementState;
import io.muster.messaging.EventHandler;
import io.muster.messaging.EventMetadata;
import org.springframework.stereotype.Component;

/** What the scheduler has decided. */
@Component
class PlacementListener implements EventHandler<PlacementState> {

    private final JobWriter writer;

    PlacementListener(JobWriter writer) {
        this.writer = writer;
    }

    @Override
    public void apply(EventMetadata metadata, PlacementState placement) {
        writer.change(placement.jobId(), (job, now) -> StartDecisions.placed(job, placement, now));
    }
}

package io.muster.job.lifecycle;

import io.muster.contract.id.NodeId;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.job.node.NodeDirectory;
import io.muster.messaging.EventHandler;
import io.muster.messaging.EventMetadata;
import java.util.Set;
import org.springframework.stereotype.Component;

/** What the scheduler has decided. */
@Component
class PlacementListener implements EventHandler<PlacementState> {

    private final JobWriter writer;
    private final NodeDirectory nodes;
    private final WasteRecords waste;

    PlacementListener(JobWriter writer, NodeDirectory nodes, WasteRecords waste) {
        this.writer = writer;
        this.nodes = nodes;
        this.waste = waste;
    }

    @Override
    public void apply(EventMetadata metadata, PlacementState placement) {
        waste.held(placement);
        boolean mayReplace = placement.generation() > 1 && placement.repairedBy() == null;
        Set<NodeId> spares = mayReplace
                ? nodes.spares(
                        placement.members().stream().map(PlacedMember::node).toList())
                : Set.of();
        writer.change(placement.jobId(), (job, now) -> StartDecisions.placed(job, placement, spares, now));
    }
}

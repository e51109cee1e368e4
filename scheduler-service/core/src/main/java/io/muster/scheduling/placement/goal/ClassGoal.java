package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import java.util.List;
import java.util.Optional;

/** A hard goal that all nodes of a class meet or miss together. */
public sealed interface ClassGoal permits GpuModelGoal, GpuCountGoal, DriverMinimumGoal, HoldGoal {

    /** In the order in which they are asked: what waiting cannot change comes first. */
    List<ClassGoal> ORDERED = List.of(new GpuModelGoal(), new GpuCountGoal(), new DriverMinimumGoal(), new HoldGoal());

    Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass);

    /** Whether time may lift the refusal without anyone changing the request or the hardware. */
    default boolean passing() {
        return this instanceof HoldGoal;
    }
}

package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import java.util.List;
import java.util.Optional;

/** A hard goal that all nodes of a class meet or miss together. */
public sealed interface ClassGoal permits GpuModelGoal, GpuCountGoal, DriverMinimumGoal, HoldGoal, SpareGoal {

    /** In the order in which they are asked: what waiting cannot change comes first. */
    List<ClassGoal> ORDERED =
            List.of(new GpuModelGoal(), new GpuCountGoal(), new DriverMinimumGoal(), new HoldGoal(), new SpareGoal());

    Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass);

    /** Whether the refusal is lifted when every node is well. */
    default boolean healing() {
        return this instanceof HoldGoal;
    }

    /** Whether the refusal may be lifted without anyone changing the request or the hardware. */
    default boolean passing() {
        return this instanceof HoldGoal || this instanceof SpareGoal;
    }
}

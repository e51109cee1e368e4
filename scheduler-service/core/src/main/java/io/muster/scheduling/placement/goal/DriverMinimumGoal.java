package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The node's driver is at least the one asked for, compared as versions; an unknown driver is older than any. */
public record DriverMinimumGoal() implements ClassGoal {

    @Override
    public Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass) {
        @Nullable DriverVersion minimum = request.minDriver();
        return minimum == null || nodeClass.driver().compareTo(minimum) >= 0
                ? Optional.empty()
                : Optional.of(NodeRefusal.DRIVER_TOO_OLD);
    }
}

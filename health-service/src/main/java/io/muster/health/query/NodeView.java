package io.muster.health.query;

import io.muster.contract.fault.FaultState;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeDomains;
import io.muster.health.node.NodeRecord;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node as people see it. */
@Schema(name = "Node")
public record NodeView(
        @Schema(type = "string", example = "r1-n2") NodeId node,

        @Schema(description = "derived from the open holds; the worst wins")
        NodeCondition condition,

        @Schema(description = "whether its lease is alive") boolean alive,

        @Schema(description = "rises with every registration")
        long session,

        NodeDomains domains,
        @Schema(example = "127.1.1.2:7000") String address,
        String agentVersion,
        String gpuDriver,
        String driverVersion,
        int cpus,
        long memoryBytes,

        @Schema(description = "GPUs that the node had when it joined")
        int inventoryGpus,

        List<GpuView> gpus,

        @Schema(description = "what keeps work off, oldest first; only the owner lifts")
        List<Hold> holds,

        @Schema(description = "the latest result of every check; empty in lists")
        List<CheckResult> checks,

        @Schema(description = "kept for repairs: new jobs are not placed here")
        boolean spare,

        @Schema(description = "the newest faults of the node, at most 20; empty in lists")
        List<FaultState> faults,

        Instant registeredAt) {

    private static final Duration STALE_AFTER = Duration.ofMinutes(2);

    public NodeView {
        gpus = List.copyOf(gpus);
        holds = List.copyOf(holds);
        checks = List.copyOf(checks);
        faults = List.copyOf(faults);
    }

    /** One GPU; facts older than two minutes are stale and not to be trusted. */
    @Schema(name = "Gpu")
    public record GpuView(
            int index,
            String uuid,
            String model,
            long memoryBytes,

            @Schema(description = "a hold is on it, on its node or its domain")
            boolean held,

            @Schema(description = "its agent took it out of use")
            boolean vetoed,

            @Nullable Integer temperatureCelsius,
            @Nullable Integer powerWatts,
            @Nullable String firmwareVersion,
            @Schema(description = "how old these facts are") long ageSeconds,

            @Schema(description = "older than 2 minutes: not to be trusted")
            boolean stale) {}

    static NodeView of(NodeRecord node, boolean alive, List<CheckResult> checks, List<FaultState> faults, Instant now) {
        return new NodeView(
                node.node(),
                node.condition(),
                alive,
                node.session(),
                node.facts().domains(),
                node.facts().agentAddress() + ":" + node.facts().agentPort(),
                node.facts().agentVersion(),
                node.facts().gpuDriver(),
                node.facts().driverVersion(),
                node.facts().cpus(),
                node.facts().memoryBytes(),
                node.inventoryGpus(),
                node.facts().gpus().stream().map(gpu -> gpu(node, gpu, now)).toList(),
                node.holds().holds(),
                checks,
                node.spare(),
                faults,
                node.registeredAt());
    }

    private static GpuView gpu(NodeRecord node, GpuFacts gpu, Instant now) {
        Duration age = Duration.between(gpu.observedAt(), now);
        boolean held = node.holds().holds().stream()
                .anyMatch(hold -> hold.scope() != HoldScope.GPU || hold.target().equals(node.gpuTarget(gpu.index())));
        return new GpuView(
                gpu.index(),
                gpu.uuid(),
                gpu.model(),
                gpu.memoryBytes(),
                held,
                gpu.vetoed(),
                gpu.temperatureCelsius(),
                gpu.powerWatts(),
                gpu.firmwareVersion(),
                Math.max(0, age.toSeconds()),
                age.compareTo(STALE_AFTER) > 0);
    }
}

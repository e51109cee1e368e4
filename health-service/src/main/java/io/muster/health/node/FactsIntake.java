package io.muster.health.node;

import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** Brings an agent's facts into this service's time, and tells lasting facts from passing readings. */
public final class FactsIntake {

    private FactsIntake() {}

    /** An observation's age by the agent's own clock is what counts; how far that clock is off does not matter. */
    public static NodeFacts inOurTime(NodeFacts facts, Instant agentTime, Instant now) {
        return each(facts, gpu -> {
            Duration age = Duration.between(gpu.observedAt(), agentTime);
            return observedAt(gpu, now.minus(age.isNegative() ? Duration.ZERO : age));
        });
    }

    /** Without the agent's clock beside it, a registration's observations are at best from now. */
    static NodeFacts atRegistration(NodeFacts facts, Instant now) {
        return each(facts, gpu -> gpu.observedAt().isAfter(now) ? observedAt(gpu, now) : gpu);
    }

    /** The facts without what changes all the time. */
    static NodeFacts lasting(NodeFacts facts) {
        return each(
                facts,
                gpu -> new GpuFacts(
                        gpu.index(),
                        gpu.uuid(),
                        gpu.model(),
                        gpu.memoryBytes(),
                        gpu.vetoed(),
                        null,
                        null,
                        gpu.firmwareVersion(),
                        Instant.EPOCH));
    }

    private static GpuFacts observedAt(GpuFacts gpu, Instant at) {
        return new GpuFacts(
                gpu.index(),
                gpu.uuid(),
                gpu.model(),
                gpu.memoryBytes(),
                gpu.vetoed(),
                gpu.temperatureCelsius(),
                gpu.powerWatts(),
                gpu.firmwareVersion(),
                at);
    }

    private static NodeFacts each(NodeFacts facts, Function<GpuFacts, GpuFacts> change) {
        List<GpuFacts> gpus = facts.gpus().stream().map(change).toList();
        return new NodeFacts(
                facts.node(),
                facts.agentVersion(),
                facts.agentAddress(),
                facts.agentPort(),
                facts.domains(),
                facts.gpuDriver(),
                facts.driverVersion(),
                gpus,
                facts.cpus(),
                facts.memoryBytes(),
                facts.bootId());
    }
}

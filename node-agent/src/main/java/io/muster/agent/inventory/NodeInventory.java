package io.muster.agent.inventory;

import io.muster.agent.settings.AgentSettings;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeFacts;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's facts. If the GPU driver fails, the last GPUs are told again with the time they were seen, so that readers
 * see stale facts as stale; before the first reading there are none.
 */
public final class NodeInventory {

    private static final Logger LOG = LoggerFactory.getLogger(NodeInventory.class);

    private final AgentSettings settings;
    private final String agentVersion;
    private final GpuDriver driver;
    private final Machine machine;
    private GpuDriver.Reading last = new GpuDriver.Reading("unknown", List.of());

    public NodeInventory(AgentSettings settings, String agentVersion, GpuDriver driver, Machine machine) {
        this.settings = settings;
        this.agentVersion = agentVersion;
        this.driver = driver;
        this.machine = machine;
    }

    public synchronized NodeFacts facts() {
        try {
            last = driver.read();
        } catch (IOException broken) {
            LOG.warn("GPU driver {} fails: {}", driver.name(), broken.getMessage());
        }
        return new NodeFacts(
                settings.node(),
                agentVersion,
                settings.address(),
                settings.port(),
                settings.domains(),
                driver.name(),
                last.driverVersion(),
                last.gpus(),
                machine.cpus(),
                machine.memoryBytes(),
                machine.bootId());
    }

    /** Whether the two differ in anything but readings and the time of observation. */
    public static boolean changed(NodeFacts before, NodeFacts now) {
        return !settled(before).equals(settled(now));
    }

    private static NodeFacts settled(NodeFacts facts) {
        List<GpuFacts> gpus = facts.gpus().stream()
                .map(gpu -> new GpuFacts(
                        gpu.index(),
                        gpu.uuid(),
                        gpu.model(),
                        gpu.memoryBytes(),
                        gpu.vetoed(),
                        null,
                        null,
                        gpu.firmwareVersion(),
                        Instant.EPOCH))
                .toList();
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

package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import java.util.List;

/**
 * What an agent says of its node when it joins or registers, and again when it changes.
 *
 * @param agentAddress where peers and services reach the node
 * @param agentPort the agent's port for peers
 * @param bootId changes with every boot of the machine
 */
public record NodeFacts(
        NodeId node,
        String agentVersion,
        String agentAddress,
        int agentPort,
        NodeDomains domains,
        String gpuDriver,
        String driverVersion,
        List<GpuFacts> gpus,
        int cpus,
        long memoryBytes,
        String bootId) {

    public NodeFacts {
        gpus = List.copyOf(gpus);
    }
}

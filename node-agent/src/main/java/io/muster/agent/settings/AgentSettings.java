package io.muster.agent.settings;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeDomains;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Everything an agent is told from outside; {@link SettingsReader} makes it from the environment.
 *
 * @param home the agent's own folder; nothing of it is shared with another agent
 * @param storeRoot where logs and checkpoints go
 * @param rankUid the user that ranks run as; empty: the agent's own
 * @param memoryFolder below it this node's shards are held; empty: /dev/shm, or the agent's folder where there is none
 * @param memoryBytes how much they may take; empty: half of that file system
 * @param rankNice added to the niceness of ranks, so that agents and services go first
 */
public record AgentSettings(
        NodeId node,
        Path home,
        String address,
        int port,
        Optional<Path> joinTokenFile,
        URI healthUrl,
        URI jobUrl,
        URI checkpointUrl,
        Path storeRoot,
        NodeDomains domains,
        GpuChoice gpus,
        Optional<String> clientPythonPath,
        Optional<Integer> rankUid,
        int rankNice,
        long maxShardBytes,
        Optional<Path> memoryFolder,
        Optional<Long> memoryBytes,
        Optional<String> expectedAgentVersion) {

    /** Which driver to ask, and what the simulated one shall say. */
    public record GpuChoice(Driver driver, int simulatedCount, String simulatedModel, String simulatedVersion) {}

    /** AUTO takes NVIDIA if nvidia-smi answers, else SIMULATED. */
    public enum Driver {
        SIMULATED,
        NVIDIA,
        AUTO
    }

    public Path jobsFolder() {
        return home.resolve("jobs");
    }

    public Path controlFolder() {
        return home.resolve("control");
    }
}

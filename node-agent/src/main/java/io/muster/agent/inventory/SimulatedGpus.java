package io.muster.agent.inventory;

import io.muster.agent.disk.SafeFile;
import io.muster.agent.settings.AgentSettings.GpuChoice;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.GpuFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * GPUs that exist only as facts. Faults come from {@code gpu-faults.json} in the agent's folder, read at every look:
 * {@code {"missing":[3],"vetoed":[5],"temperatures":{"2":91}}}. A file that cannot be read is a driver that fails.
 */
public final class SimulatedGpus implements GpuDriver {

    private static final long MEMORY_BYTES = 80L << 30;
    private static final int LONGEST_FAULTS = 64 * 1024;

    private final NodeId node;
    private final GpuChoice choice;
    private final Path faultsFile;
    private final JsonMapper json;
    private final InstantSource clock;

    public SimulatedGpus(NodeId node, GpuChoice choice, Path faultsFile, JsonMapper json, InstantSource clock) {
        this.node = node;
        this.choice = choice;
        this.faultsFile = faultsFile;
        this.json = json;
        this.clock = clock;
    }

    record Faults(
            @Nullable List<Integer> missing,
            @Nullable List<Integer> vetoed,
            @Nullable Map<Integer, Integer> temperatures) {

        static final Faults NONE = new Faults(List.of(), List.of(), Map.of());

        boolean isMissing(int index) {
            return missing != null && missing.contains(index);
        }

        boolean isVetoed(int index) {
            return vetoed != null && vetoed.contains(index);
        }

        int temperature(int index) {
            Integer given = temperatures == null ? null : temperatures.get(index);
            return given == null ? 45 : given;
        }
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public Reading read() throws IOException {
        Faults faults = faults();
        List<GpuFacts> gpus = new ArrayList<>();
        for (int index = 0; index < choice.simulatedCount(); index++) {
            if (!faults.isMissing(index)) {
                gpus.add(new GpuFacts(
                        index,
                        uuid(index),
                        choice.simulatedModel(),
                        MEMORY_BYTES,
                        faults.isVetoed(index),
                        faults.temperature(index),
                        300,
                        "96.00.simulated",
                        clock.instant()));
            }
        }
        return new Reading(choice.simulatedVersion(), gpus);
    }

    private String uuid(int index) {
        return "GPU-" + UUID.nameUUIDFromBytes((node + "/" + index).getBytes(StandardCharsets.UTF_8));
    }

    private Faults faults() throws IOException {
        Optional<byte[]> content = SafeFile.read(faultsFile, LONGEST_FAULTS);
        if (content.isEmpty()) {
            return Faults.NONE;
        }
        try {
            return json.readValue(content.get(), Faults.class);
        } catch (JacksonException unreadable) {
            throw new IOException(faultsFile + ": " + unreadable.getOriginalMessage(), unreadable);
        }
    }
}

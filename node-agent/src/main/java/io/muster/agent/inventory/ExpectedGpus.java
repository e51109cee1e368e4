package io.muster.agent.inventory;

import io.muster.agent.disk.SafeFile;
import io.muster.agent.settings.AgentSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * How many GPUs this node must have: the settings say it for simulated ones; for real ones the first count is kept in
 * {@code inventory.json}, so that a GPU that falls off the bus is missed also after a restart. After a change of
 * hardware an administrator removes that file.
 */
public final class ExpectedGpus {

    private static final Logger LOG = LoggerFactory.getLogger(ExpectedGpus.class);
    private static final int LONGEST = 4096;

    private ExpectedGpus() {}

    record Kept(int gpus) {}

    public static int of(AgentSettings settings, GpuDriver driver, JsonMapper json) throws IOException {
        return switch (driver) {
            case SimulatedGpus simulated -> settings.gpus().simulatedCount();
            case NvidiaGpus nvidia -> kept(settings.home().resolve("inventory.json"), nvidia, json);
        };
    }

    private static int kept(Path file, GpuDriver driver, JsonMapper json) throws IOException {
        try {
            Optional<byte[]> content = SafeFile.read(file, LONGEST);
            if (content.isPresent()) {
                return json.readValue(content.get(), Kept.class).gpus();
            }
        } catch (JacksonException unreadable) {
            LOG.warn("{} is unreadable and made anew", file);
        }
        int found = driver.read().gpus().size();
        SafeFile.write(file, json.writeValueAsBytes(new Kept(found)));
        return found;
    }
}

package io.muster.agent.registration;

import io.muster.agent.disk.SafeFile;
import io.muster.contract.node.Registration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The node's token between two lives of its agent, in a file of mode 0600. An unreadable one counts as none. */
public final class Credential {

    private static final Logger LOG = LoggerFactory.getLogger(Credential.class);
    private static final int LONGEST = 64 * 1024;

    private final Path file;
    private final JsonMapper json;

    public Credential(Path home, JsonMapper json) {
        this.file = home.resolve("credential.json");
        this.json = json;
    }

    Optional<Registration> load() {
        try {
            return SafeFile.read(file, LONGEST).map(content -> json.readValue(content, Registration.class));
        } catch (IOException | JacksonException unreadable) {
            LOG.warn(
                    "{} cannot be read ({}); joining anew",
                    file,
                    unreadable.getClass().getSimpleName());
            return Optional.empty();
        }
    }

    /** Failing to keep it is not fatal: the node joins anew after its next restart. */
    void keep(Registration registration) {
        try {
            SafeFile.write(file, json.writeValueAsBytes(registration));
        } catch (IOException broken) {
            LOG.error("{} cannot be written: {}; free space or fix its owner", file, broken.getMessage());
        }
    }
}

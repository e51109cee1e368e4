package io.muster.agent.attempt;

import io.muster.agent.disk.SafeFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Attempt records in the agent's control folder, which ranks cannot write when they have a uid of their own. A record
 * that cannot be read is put aside: its processes then show up as leftovers and the node is not used until they are gone.
 */
final class AttemptRecords {

    private static final Logger LOG = LoggerFactory.getLogger(AttemptRecords.class);
    private static final int LONGEST = 16 << 20;
    private static final String FILE = "attempt.json";

    private final Path control;
    private final JsonMapper json;

    AttemptRecords(Path control, JsonMapper json) {
        this.control = control;
        this.json = json;
    }

    Path folder(AttemptKey key) {
        return control.resolve(key.job().value()).resolve(Integer.toString(key.attempt()));
    }

    /** Not being able to keep it is said, not fatal: only the agent's next life would miss it. */
    void keep(AttemptRecord record) {
        AttemptKey key = AttemptKey.of(record.assignment());
        try {
            SafeFile.write(folder(key).resolve(FILE), json.writeValueAsBytes(record));
        } catch (IOException | JacksonException broken) {
            LOG.error("record of {} cannot be kept: {}; free space in {}", key, broken.toString(), control);
        }
    }

    void remove(AttemptKey key) throws IOException {
        SafeFile.deleteTree(folder(key));
        SafeFile.deleteIfEmpty(control.resolve(key.job().value()));
    }

    List<AttemptRecord> all() throws IOException {
        List<AttemptRecord> found = new ArrayList<>();
        if (!Files.isDirectory(control)) {
            return found;
        }
        try (DirectoryStream<Path> jobs = Files.newDirectoryStream(control)) {
            for (Path job : jobs) {
                try (DirectoryStream<Path> attempts = Files.newDirectoryStream(job)) {
                    for (Path attempt : attempts) {
                        read(attempt.resolve(FILE)).ifPresent(found::add);
                    }
                }
            }
        }
        return found;
    }

    private Optional<AttemptRecord> read(Path file) throws IOException {
        Optional<byte[]> content = SafeFile.read(file, LONGEST);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(json.readValue(content.get(), AttemptRecord.class));
        } catch (JacksonException unreadable) {
            LOG.error("{} is unreadable and put aside: {}", file, unreadable.getOriginalMessage());
            Files.move(file, file.resolveSibling(FILE + ".bad"), StandardCopyOption.REPLACE_EXISTING);
            return Optional.empty();
        }
    }
}

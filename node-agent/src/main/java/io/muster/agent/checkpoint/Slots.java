package io.muster.agent.checkpoint;

import io.muster.agent.disk.SafeFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two slots for each rank, owned by the agent: they outlive the trainer and the agent's own restart. A slot counts as
 * staged only with its label (step, size, hash), which is written last; a trainer that dies while it fills one leaves
 * the other as it was.
 */
final class Slots {

    private static final Logger LOG = LoggerFactory.getLogger(Slots.class);
    private static final List<String> NAMES = List.of("A", "B");
    private static final int LONGEST_LABEL = 4096;

    /** A shard that is whole in a slot. */
    record Staged(int rank, String slot, long step, long sizeBytes, String sha256) {}

    private final Path folder;
    private final JsonMapper json;
    private final Map<String, Optional<Staged>> taken = new TreeMap<>();

    Slots(Path folder, JsonMapper json) throws IOException {
        this.folder = folder;
        this.json = json;
        Files.createDirectories(folder);
    }

    /** What an earlier life of this agent had staged. */
    synchronized List<Staged> reload(int firstRank, int ranks) throws IOException {
        List<Staged> found = new ArrayList<>();
        for (int rank = firstRank; rank < firstRank + ranks; rank++) {
            for (String slot : NAMES) {
                Optional<byte[]> label = SafeFile.read(label(rank, slot), LONGEST_LABEL);
                if (label.isPresent()) {
                    try {
                        Staged staged = json.readValue(label.get(), Staged.class);
                        taken.put(key(rank, slot), Optional.of(staged));
                        found.add(staged);
                    } catch (JacksonException unreadable) {
                        LOG.warn("label of slot {} of rank {} is unreadable; the slot is free", slot, rank);
                    }
                }
            }
        }
        return found;
    }

    /** A free slot of the rank, now being filled; empty if both are in use. */
    synchronized Optional<String> claim(int rank) {
        for (String slot : NAMES) {
            if (!taken.containsKey(key(rank, slot))) {
                taken.put(key(rank, slot), Optional.empty());
                return Optional.of(slot);
            }
        }
        return Optional.empty();
    }

    /** Takes in the bytes; on any failure the slot is free again and what was staged before is untouched. */
    Staged fill(int rank, String slot, long step, ReadableByteChannel bytes) throws IOException {
        boolean whole = false;
        try {
            Sha256.Copied copied;
            try (FileChannel to = FileChannel.open(
                    file(rank, slot),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                copied = Sha256.copy(bytes, to);
            }
            Staged staged = new Staged(rank, slot, step, copied.bytes(), copied.sha256());
            SafeFile.write(label(rank, slot), json.writeValueAsBytes(staged));
            synchronized (this) {
                taken.put(key(rank, slot), Optional.of(staged));
            }
            whole = true;
            return staged;
        } finally {
            if (!whole) {
                free(rank, slot);
            }
        }
    }

    synchronized void free(int rank, String slot) {
        try {
            Files.deleteIfExists(label(rank, slot));
            Files.deleteIfExists(file(rank, slot));
        } catch (IOException stuck) {
            LOG.warn("slot {} of rank {} cannot be emptied: {}", slot, rank, stuck.getMessage());
        }
        taken.remove(key(rank, slot));
    }

    Path file(int rank, String slot) {
        return folder.resolve("rank-" + rank + "-" + slot);
    }

    private Path label(int rank, String slot) {
        return folder.resolve("rank-" + rank + "-" + slot + ".json");
    }

    private static String key(int rank, String slot) {
        return rank + "-" + slot;
    }
}

package io.muster.agent.checkpoint;

import java.util.List;
import io.muster.agent.disk.RegularFile;
import io.muster.agent.disk.SafeFile;
import io.muster.contract.checkpoint.StoredShard;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Shards in the store, a file system shared by all nodes. A shard is safe when its bytes are flushed, renamed to its
 * name, the folder is flushed, and reading it back gives the hash that the rank's bytes had on arrival. Paths that lead
 * out of the store and links below its root are refused, for writing and for reading.
 */
public final class ShardStore {

    private final Path root;

    public ShardStore(Path root) {
        this.root = root;
    }

    /** The local copy is not what the rank handed over: storing it would make a lie durable. */
    static final class DamagedSlot extends IOException {

        private static final long serialVersionUID = 1L;

        DamagedSlot(String message) {
            super(message);
        }
    }

    StoredShard store(Path slot, String sha256, int rank, Path relativeFolder) throws IOException {
        Path folder = inside(relativeFolder);
        Path existing = folder;
        while (!existing.equals(root) && !Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
            existing = existing.resolveSibling(".").normalize();
        }
        refuseLinks(existing);
        Files.createDirectories(folder);
        refuseLinks(folder);
        Path target = folder.resolve("rank-" + rank + ".shard");
        Path temporary = folder.resolve(".rank-" + rank + ".shard.tmp");
        Sha256.Copied written;
        try (FileChannel from = FileChannel.open(slot, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS)) {
            written = Sha256.copy(from, to);
            to.force(true);
        }
        if (!written.sha256().equals(sha256)) {
            Files.deleteIfExists(temporary);
            throw new DamagedSlot("slot of rank " + rank + " has hash " + written.sha256() + ", had " + sha256);
        }
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        SafeFile.flushFolder(folder);
        StoredShard stored =
                new StoredShard(rank, root.relativize(target).toString(), written.bytes(), written.sha256(), List.of());
        Optional<String> damage = damage(stored);
        if (damage.isPresent()) {
            throw new IOException("written but not readable as written: " + damage.get());
        }
        return stored;
    }

    /** What is wrong with a stored shard; empty if it is whole and unchanged. */
    public Optional<String> damage(StoredShard shard) {
        try (FileChannel channel = open(shard)) {
            if (channel.size() != shard.sizeBytes()) {
                return Optional.of(
                        shard.path() + " has " + channel.size() + " bytes, " + shard.sizeBytes() + " were stored");
            }
            String found = Sha256.of(channel).sha256();
            return found.equals(shard.sha256())
                    ? Optional.empty()
                    : Optional.of(shard.path() + " has hash " + found + ", " + shard.sha256() + " was stored");
        } catch (IOException unreadable) {
            return Optional.of(shard.path() + " cannot be read: "
                    + unreadable.getClass().getSimpleName() + " " + unreadable.getMessage());
        }
    }

    /** Sends exactly the shard's bytes; throws if the file is not as long any more. */
    public void send(StoredShard shard, WritableByteChannel to) throws IOException {
        try (FileChannel from = open(shard)) {
            if (from.size() != shard.sizeBytes() || Sha256.copy(from, to).bytes() != shard.sizeBytes()) {
                throw new IOException(shard.path() + " changed its length while it was sent");
            }
        }
    }

    private FileChannel open(StoredShard shard) throws IOException {
        Path file = inside(Path.of(shard.path()));
        refuseLinks(file.resolveSibling(".").normalize());
        return RegularFile.open(file);
    }

    /** No folder below the root may be a link, wherever it leads: also inside the store it would be another job's. */
    private void refuseLinks(Path folder) throws IOException {
        if (!folder.toRealPath().equals(root.toRealPath().resolve(root.relativize(folder)))) {
            throw new IOException(root.relativize(folder) + " is reached by a link; the store has none");
        }
    }

    private Path inside(Path relative) throws IOException {
        Path target = root.resolve(relative).normalize();
        if (relative.isAbsolute()
                || !target.startsWith(root)
                || !root.relativize(target).equals(relative)) {
            throw new IOException("'" + relative + "' is no path below the store");
        }
        return target;
    }
}

package io.muster.agent.checkpoint;

import io.muster.agent.disk.RegularFile;
import io.muster.agent.disk.SafeFile;
import io.muster.agent.disk.Sha256;
import io.muster.contract.checkpoint.StoredShard;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * Shards in the store, a file system shared by all nodes. A shard is safe when its bytes are flushed, renamed to its
 * name, the folder is flushed, and reading it back gives the hash that the rank's bytes had on arrival. Paths that lead
 * out of the store and links below its root are refused, for writing and for reading.
 */
public final class ShardStore {

    /** All shards lie below this folder of the store. */
    static final String FOLDER = "checkpoints";

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

    /** A path that names nothing below the store, whoever wrote it down. */
    private static final class NoPlace extends IOException {

        private static final long serialVersionUID = 1L;

        NoPlace(String message) {
            super(message);
        }
    }

    /** What the store has of a shard. */
    public sealed interface Look {

        record Whole() implements Look {}

        /** The store answers, and what it has is not the shard. */
        record Damaged(String why) implements Look {}

        /** The store does not answer, so nobody can tell. */
        record Unreachable(String why) implements Look {}
    }

    /** The source of a shard's bytes, opened once. */
    interface Source {
        FileChannel open() throws IOException;
    }

    StoredShard store(Source slot, String sha256, int rank, Path relativeFolder) throws IOException {
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
        try (FileChannel from = slot.open();
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

    /** What is wrong with what was just written; empty if it is whole and unchanged. */
    private Optional<String> damage(StoredShard shard) {
        return switch (look(shard)) {
            case Look.Whole whole -> Optional.empty();
            case Look.Damaged damaged -> Optional.of(damaged.why());
            case Look.Unreachable away -> Optional.of(away.why());
        };
    }

    /**
     * Reads all of a shard. A file that is missing is damage only where the store shows that it is there at all: an
     * unmounted store is an empty folder, and taking that for damage would give up every checkpoint.
     */
    public Look look(StoredShard shard) {
        try (FileChannel channel = open(shard)) {
            long size = channel.size();
            return compare(
                    shard, size, size == shard.sizeBytes() ? Sha256.of(channel).sha256() : "");
        } catch (IOException unreadable) {
            return unreadable(shard, unreadable);
        }
    }

    static Look compare(StoredShard shard, long size, String sha256) {
        if (size != shard.sizeBytes()) {
            return new Look.Damaged(shard.path() + " has " + size + " bytes, " + shard.sizeBytes() + " were stored");
        }
        return sha256.equals(shard.sha256())
                ? new Look.Whole()
                : new Look.Damaged(shard.path() + " has hash " + sha256 + ", " + shard.sha256() + " was stored");
    }

    /** What it means that a shard could not be read. */
    public Look unreadable(StoredShard shard, IOException broken) {
        String why = shard.path() + " cannot be read: " + broken.getClass().getSimpleName() + " " + broken.getMessage();
        boolean never = broken instanceof NoPlace || isSomethingElse(shard);
        boolean gone = broken instanceof NoSuchFileException && isThere();
        return never || gone ? new Look.Damaged(why) : new Look.Unreachable(why);
    }

    private boolean isSomethingElse(StoredShard shard) {
        String path = shard.path();
        if (path == null) {
            return true;
        }
        Path file = root.resolve(path);
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    private boolean isThere() {
        Path checkpoints = root.resolve(FOLDER);
        return Files.isDirectory(checkpoints) && Files.isReadable(checkpoints) && Files.isExecutable(checkpoints);
    }

    /** For reading; where it lies is checked first. */
    public FileChannel open(StoredShard shard) throws IOException {
        String path = shard.path();
        if (path == null) {
            throw new NoPlace("rank " + shard.rank() + " has no copy in the store");
        }
        Path file = inside(Path.of(path));
        refuseLinks(file.resolveSibling(".").normalize());
        return RegularFile.open(file);
    }

    /** No folder below the root may be a link, wherever it leads: also inside the store it would be another job's. */
    private void refuseLinks(Path folder) throws IOException {
        if (!folder.toRealPath().equals(root.toRealPath().resolve(root.relativize(folder)))) {
            throw new NoPlace(root.relativize(folder) + " is reached by a link; the store has none");
        }
    }

    private Path inside(Path relative) throws IOException {
        Path target = root.resolve(relative).normalize();
        if (relative.isAbsolute()
                || !target.startsWith(root)
                || !root.relativize(target).equals(relative)) {
            throw new NoPlace("'" + relative + "' is no path below the store");
        }
        return target;
    }
}

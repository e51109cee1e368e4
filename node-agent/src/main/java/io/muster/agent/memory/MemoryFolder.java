package io.muster.agent.memory;

import io.muster.agent.disk.SafeFile;
import io.muster.contract.id.NodeId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a node's shards are in memory: a folder of its own below the one that was set, else below {@code /dev/shm} when
 * that is a tmpfs with room, else in the agent's folder. Its path is kept in {@code memory.path} of the agent's folder,
 * so an agent that starts again finds it, and one whose folder was wiped gets an empty one; whoever wipes a node removes
 * both. What was left behind by folders of agents that are no more, or have another memory now, is removed here.
 */
public final class MemoryFolder {

    /** Below the agent's folder; one line with the path. */
    private static final String POINTER = "memory.path";

    private static final Logger LOG = LoggerFactory.getLogger(MemoryFolder.class);
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long LEAST_ROOM = 256L << 20;
    private static final String PREFIX = "muster-";
    private static final String OWNER = "owner";
    private static final String LIFE = "life";
    private static final int LONGEST_PATH = 4096;

    /**
     * @param limitBytes how much of it may be used
     * @param life another one whenever the folder was found empty: memory, and with it all processes, were lost
     */
    public record Chosen(Path folder, long limitBytes, String life) {}

    private MemoryFolder() {}

    /**
     * @param parent the setting, if there is one; it must be usable then
     * @param limit the setting, if there is one; else half of the file system
     */
    public static Chosen open(
            Path home, NodeId node, Optional<Path> parent, Optional<Long> limit, RandomGenerator random)
            throws IOException {
        Path below = parent.orElseGet(() -> hasRoom(SHARED_MEMORY) ? SHARED_MEMORY : home);
        Path folder = remembered(home)
                .filter(known -> below.equals(known.getParent())
                        && known.getFileName().toString().startsWith(prefix(node)))
                .orElseGet(() -> below.resolve(prefix(node) + fresh(random)));
        SafeFile.write(home.resolve(POINTER), (folder + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            take(folder, home);
        } catch (IOException unusable) {
            throw new IOException(
                    "cannot keep shards in " + folder + " (" + unusable + "); set MUSTER_MEMORY_FOLDER to a folder that"
                            + " this user may write",
                    unusable);
        }
        sweep(below, folder, home);
        long half = Files.getFileStore(folder).getTotalSpace() / 2;
        return new Chosen(folder, limit.orElse(half), life(folder, random));
    }

    private static String life(Path folder, RandomGenerator random) throws IOException {
        Path file = folder.resolve(LIFE);
        Optional<byte[]> before = SafeFile.read(file, LONGEST_PATH);
        if (before.isEmpty()) {
            SafeFile.write(file, fresh(random).getBytes(StandardCharsets.UTF_8));
        }
        return new String(SafeFile.read(file, LONGEST_PATH).orElseThrow(), StandardCharsets.UTF_8);
    }

    private static String prefix(NodeId node) {
        return PREFIX + node + "-";
    }

    private static String fresh(RandomGenerator random) {
        byte[] name = new byte[8];
        random.nextBytes(name);
        return HexFormat.of().formatHex(name);
    }

    private static boolean hasRoom(Path folder) {
        try {
            FileStore files = Files.getFileStore(folder);
            return files.type().equals("tmpfs") && Files.isWritable(folder) && files.getUsableSpace() >= LEAST_ROOM;
        } catch (IOException none) {
            return false;
        }
    }

    private static Optional<Path> remembered(Path home) throws IOException {
        return SafeFile.read(home.resolve(POINTER), LONGEST_PATH)
                .map(content -> Path.of(new String(content, StandardCharsets.UTF_8).strip()));
    }

    /** Made with mode 0700; one that is there already must be this user's own folder and no link. */
    private static void take(Path folder, Path home) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(folder.resolveSibling(".").normalize());
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(home))) {
            throw new IOException(folder + " is not a folder of the agent's user");
        }
        SafeFile.write(folder.resolve(OWNER), home.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void sweep(Path below, Path own, Path home) {
        try (DirectoryStream<Path> others = Files.newDirectoryStream(below, PREFIX + "*")) {
            for (Path other : others) {
                if (!other.equals(own) && isLeftBehind(other, home)) {
                    LOG.info("removing shards in {}: no agent has its memory there any more", other);
                    SafeFile.deleteTree(other);
                }
            }
        } catch (IOException stuck) {
            LOG.warn("memory that was left behind in {} cannot be removed: {}", below, stuck.toString());
        }
    }

    /** This user's, with the name of an agent's folder in it that does not point back to it. */
    private static boolean isLeftBehind(Path folder, Path home) {
        try {
            Optional<Path> owner = SafeFile.read(folder.resolve(OWNER), LONGEST_PATH)
                    .map(content -> Path.of(new String(content, StandardCharsets.UTF_8)));
            return owner.isPresent()
                    && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(home))
                    && !remembered(owner.get()).equals(Optional.of(folder));
        } catch (IOException unreadable) {
            return false;
        }
    }
}

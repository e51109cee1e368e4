package io.muster.agent.socket;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.UUID;

/**
 * Where an attempt's socket is: in the attempt's folder, or, because the kernel takes only about 107 bytes, in a folder
 * of mode 0700 below the temporary folder whose name follows from the attempt's, so that a restarted agent finds it
 * again. A folder there that somebody else made is refused.
 */
public final class SocketPath {

    private static final int LONGEST = 100;

    private SocketPath() {}

    public static Path of(Path attemptFolder, Path temporaryFolder) {
        Path near = attemptFolder.resolve("agent.sock");
        if (near.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST) {
            return near;
        }
        UUID name = UUID.nameUUIDFromBytes(attemptFolder.toString().getBytes(StandardCharsets.UTF_8));
        return temporaryFolder.resolve("muster-" + name).resolve("s");
    }

    /** Makes the folder of the socket if it is not the attempt's own. */
    public static void prepare(Path socket, Path attemptFolder, Optional<Integer> owner) throws IOException {
        Path folder = socket.getParent();
        if (folder == null || folder.equals(attemptFolder)) {
            return;
        }
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            if (owner.isPresent()) {
                Files.setAttribute(folder, "unix:uid", owner.get());
            }
            return;
        }
        Object uid = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        Object expected = owner.<Object>map(user -> user)
                .orElse(Files.getAttribute(attemptFolder, "unix:uid", LinkOption.NOFOLLOW_LINKS));
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) || !uid.equals(expected)) {
            throw new IOException(folder + " belongs to uid " + uid + ", not " + expected + "; remove it");
        }
    }

    /** Removes the folder of a socket that is not the attempt's own. */
    public static void remove(Path socket, Path attemptFolder) throws IOException {
        Files.deleteIfExists(socket);
        Path folder = socket.getParent();
        if (folder != null && !folder.equals(attemptFolder)) {
            Files.deleteIfExists(folder);
        }
    }
}

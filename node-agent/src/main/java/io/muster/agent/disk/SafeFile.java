package io.muster.agent.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Small files whole or not at all: temporary file, flush, rename, flush of the folder. */
public final class SafeFile {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private SafeFile() {}

    /** Writes with mode 0600. */
    public static void write(Path file, byte[] content) throws IOException {
        Path folder = file.toAbsolutePath().resolveSibling(".").normalize();
        Files.createDirectories(folder);
        Path temporary = folder.resolve("." + file.getFileName() + ".tmp");
        Files.deleteIfExists(temporary);
        Files.createFile(temporary, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        flushFolder(folder);
    }

    /** The content, or empty if there is no such file. Links are not followed, and nothing but a regular file is read. */
    public static Optional<byte[]> read(Path file, int longest) throws IOException {
        try (FileChannel channel = RegularFile.open(file)) {
            long size = channel.size();
            if (size > longest) {
                throw new IOException(file + " has " + size + " bytes; at most " + longest + " are read");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                continue;
            }
            byte[] content = new byte[bytes.position()];
            bytes.flip();
            bytes.get(content);
            return Optional.of(content);
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    /** Makes a rename or new name in the folder safe against a power cut. */
    public static void flushFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Deletes a folder with all that is in it; links are removed, never followed. */
    public static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException broken) throws IOException {
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Deletes a folder if nothing is in it. */
    public static void deleteIfEmpty(Path folder) throws IOException {
        try {
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException stillUsed) {
            return;
        }
    }
}

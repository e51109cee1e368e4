package io.muster.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * One living owner per data folder. The operating system drops the lock when the owner dies, so whoever holds it may
 * treat a server still running on that folder as an orphan.
 */
final class HomeLock implements AutoCloseable {

    private final FileChannel channel;

    private HomeLock(FileChannel channel) {
        this.channel = channel;
    }

    static HomeLock take(Path home, String what) {
        try {
            Files.createDirectories(home);
            FileChannel channel =
                    FileChannel.open(home.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                channel.close();
                throw new IllegalStateException(what + " in " + home
                        + " already belongs to a running process: stop that one first, or use another folder");
            }
            return new HomeLock(channel);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock " + home, e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.muster.agent.logs;

import io.muster.agent.disk.RegularFile;
import io.muster.agent.process.Kernel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * One rank's output on its way into the store. The length of the store's copy says how much is there, and bytes are
 * written at their own offset: whatever is interrupted, done twice or taken over by a restarted agent, nothing is lost
 * and nothing is there twice. The local file keeps its offsets for ever; blocks that are shipped are given back to the
 * disk (a hole), so it holds about 16 MiB however long the rank talks. The copy ends at its cap with one line that says so.
 */
final class ShippedLog {

    static final long LOCAL_BYTES = 16L << 20;
    static final long STORE_CAP_BYTES = 64L << 20;
    private static final long KEPT_FOR_READING_THE_END = 1L << 20;
    private static final int CHUNK = 256 * 1024;

    private final Path local;
    private final Path stored;
    private final long cap;
    private final Kernel kernel;
    private long shipped;
    private long punchedTo;
    private long beyondPunchedTo;
    private volatile long wholeUpTo;

    ShippedLog(Path local, Path stored, long cap, Kernel kernel) {
        this.local = local;
        this.stored = stored;
        this.cap = cap;
        this.kernel = kernel;
    }

    /** Brings the store's copy up to the local file as it is now; throws if the store does not take it. */
    synchronized void ship() throws IOException {
        try (FileChannel from = RegularFile.open(local)) {
            long end = from.size();
            try {
                shipUpTo(from, Math.min(end, cap), end > cap);
                wholeUpTo = end;
            } finally {
                giveBack(end);
            }
        } catch (NoSuchFileException nothingPrinted) {
            return;
        }
    }

    /**
     * Whether all that is in the local file now is in the store. Asks only the local disk, so it never waits for the
     * store. What is no regular file has nothing to ship.
     */
    boolean isWhole() {
        try {
            BasicFileAttributes now = Files.readAttributes(local, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return !now.isRegularFile() || now.size() <= wholeUpTo;
        } catch (NoSuchFileException nothingPrinted) {
            return true;
        } catch (IOException unreadable) {
            return false;
        }
    }

    private void shipUpTo(FileChannel from, long end, boolean cut) throws IOException {
        if (end == 0) {
            return;
        }
        if (!Files.exists(stored)) {
            Files.createDirectories(stored.getParent());
        }
        try (FileChannel to = FileChannel.open(
                stored, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            long position = to.size();
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(CHUNK, Math.max(1, end - position)));
            while (position < end) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), end - position));
                int count = from.read(buffer, position);
                if (count <= 0) {
                    return;
                }
                buffer.flip();
                writeAt(to, buffer, position);
                position += count;
                shipped = position;
            }
            shipped = Math.max(shipped, Math.min(position, end));
            if (cut && position == end) {
                String line = "\n[muster: cut here; the output went on beyond " + (cap >> 20) + " MiB]\n";
                writeAt(to, ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)), position);
            }
        }
    }

    private static void writeAt(FileChannel to, ByteBuffer buffer, long position) throws IOException {
        long at = position;
        while (buffer.hasRemaining()) {
            at += to.write(buffer, at);
        }
    }

    /** Shipped bytes, and bytes that will never be shipped, need no local block; the last MiB stays readable. */
    private void giveBack(long end) {
        long needless = shipped >= Math.min(end, cap) ? end : shipped;
        long upTo = Math.min(needless, end - KEPT_FOR_READING_THE_END);
        if (upTo - punchedTo >= LOCAL_BYTES - KEPT_FOR_READING_THE_END
                && kernel.punch(local, punchedTo, upTo - punchedTo)) {
            punchedTo = upTo;
        }
        long lateFrom = Math.max(cap, Math.max(punchedTo, beyondPunchedTo));
        long lateTo = end - KEPT_FOR_READING_THE_END;
        if (upTo < cap && lateTo - lateFrom >= LOCAL_BYTES && kernel.punch(local, lateFrom, lateTo - lateFrom)) {
            beyondPunchedTo = lateTo;
        }
    }
}

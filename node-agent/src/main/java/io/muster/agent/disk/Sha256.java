package io.muster.agent.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Copies and hashes in one pass, so that what is counted is what was moved. */
public final class Sha256 {

    private static final int CHUNK = 1 << 20;

    private Sha256() {}

    public record Copied(long bytes, String sha256) {}

    /** The target could not take the bytes, for lack of space most likely; the source is as it was. */
    public static final class NotWritten extends IOException {

        private static final long serialVersionUID = 1L;

        NotWritten(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    public static Copied copy(ReadableByteChannel from, WritableByteChannel to) throws IOException {
        MessageDigest digest = digest();
        ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
        long bytes = 0;
        while (from.read(buffer.clear()) >= 0) {
            buffer.flip();
            bytes += buffer.remaining();
            digest.update(buffer.duplicate());
            write(buffer, to);
        }
        return new Copied(bytes, HexFormat.of().formatHex(digest.digest()));
    }

    private static void write(ByteBuffer buffer, WritableByteChannel to) throws NotWritten {
        try {
            while (buffer.hasRemaining()) {
                to.write(buffer);
            }
        } catch (IOException full) {
            throw new NotWritten(full);
        }
    }

    public static Copied of(ReadableByteChannel from) throws IOException {
        MessageDigest digest = digest();
        ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
        long bytes = 0;
        while (from.read(buffer.clear()) >= 0) {
            buffer.flip();
            bytes += buffer.remaining();
            digest.update(buffer);
        }
        return new Copied(bytes, HexFormat.of().formatHex(digest.digest()));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}

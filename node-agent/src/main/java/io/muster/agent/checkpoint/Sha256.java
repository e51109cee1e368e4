package io.muster.agent.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Copies and hashes in one pass, so that what is counted is what was moved. */
final class Sha256 {

    private static final int CHUNK = 1 << 20;

    private Sha256() {}

    record Copied(long bytes, String sha256) {}

    static Copied copy(ReadableByteChannel from, WritableByteChannel to) throws IOException {
        MessageDigest digest = digest();
        ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
        long bytes = 0;
        while (from.read(buffer.clear()) >= 0) {
            buffer.flip();
            bytes += buffer.remaining();
            digest.update(buffer.duplicate());
            while (buffer.hasRemaining()) {
                to.write(buffer);
            }
        }
        return new Copied(bytes, HexFormat.of().formatHex(digest.digest()));
    }

    static Copied of(ReadableByteChannel from) throws IOException {
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

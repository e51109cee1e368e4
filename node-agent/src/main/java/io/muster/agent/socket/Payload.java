package io.muster.agent.socket;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** The raw bytes after a header. Whatever the desk leaves unread is drained, so that the next frame begins where it should. */
public final class Payload implements ReadableByteChannel {

    private final ReadableByteChannel source;
    private long left;

    Payload(ReadableByteChannel source, long bytes) {
        this.source = source;
        this.left = bytes;
    }

    public long left() {
        return left;
    }

    /** Up to the end of the payload, then -1; a peer that closes earlier is an EOFException. */
    @Override
    public int read(ByteBuffer target) throws IOException {
        if (left == 0) {
            return -1;
        }
        int limit = target.limit();
        if (target.remaining() > left) {
            target.limit(target.position() + (int) left);
        }
        int count = source.read(target);
        target.limit(limit);
        if (count < 0) {
            throw new EOFException("closed with " + left + " payload bytes missing");
        }
        left -= count;
        return count;
    }

    void drain() throws IOException {
        ByteBuffer waste = ByteBuffer.allocate((int) Math.min(256 * 1024, Math.max(1, left)));
        while (read(waste.clear()) >= 0) {
            continue;
        }
    }

    @Override
    public boolean isOpen() {
        return source.isOpen();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("the connection belongs to the socket");
    }
}

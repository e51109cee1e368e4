package io.muster.agent.peer;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.util.zip.CRC32C;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One way of one connection between agents: headers (4 bytes length, JSON of at most 4 KiB) and shards (chunks of at most
 * 1 MiB, each with its length and CRC32C, up to the announced size). A chunk whose sum is wrong breaks the hop.
 */
final class Hop {

    static final int LONGEST_HEADER = 4096;
    static final int CHUNK = 1 << 20;
    private static final Duration EACH = Duration.ofSeconds(10);

    private Hop() {}

    static void write(DataOutputStream out, Object header, JsonMapper json) throws IOException {
        byte[] content = json.writeValueAsBytes(header);
        out.writeInt(content.length);
        out.write(content);
        out.flush();
    }

    static <T> T read(DataInputStream in, Class<T> type, JsonMapper json) throws IOException {
        int length = in.readInt();
        if (length <= 0 || length > LONGEST_HEADER) {
            throw new IOException(
                    "a header of " + (length & 0xffffffffL) + " bytes; 1 to " + LONGEST_HEADER + " are read");
        }
        try {
            T header = json.readValue(in.readNBytes(length), type);
            if (header == null) {
                throw new IOException("the header is null");
            }
            return header;
        } catch (JacksonException wrong) {
            throw new IOException("unreadable header: " + wrong.getOriginalMessage(), wrong);
        }
    }

    /**
     * Sends exactly so many bytes.
     *
     * @param beforeEach chunk
     */
    static void send(ReadableByteChannel shard, long bytes, DataOutputStream out, Runnable beforeEach)
            throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        long left = bytes;
        while (left > 0) {
            beforeEach.run();
            chunk.clear().limit((int) Math.min(CHUNK, left));
            while (chunk.hasRemaining()) {
                if (shard.read(chunk) < 0) {
                    throw new EOFException("the shard ends " + (left - chunk.position()) + " bytes early");
                }
            }
            CRC32C sum = new CRC32C();
            sum.update(chunk.array(), 0, chunk.limit());
            out.writeInt(chunk.limit());
            out.writeInt((int) sum.getValue());
            out.write(chunk.array(), 0, chunk.limit());
            left -= chunk.limit();
        }
        out.flush();
    }

    /** How long so many bytes may take: a megabyte a second, and ten seconds. */
    static Duration longest(long bytes) {
        return EACH.plusSeconds(bytes / CHUNK);
    }

    /** The bytes that come in, checked chunk by chunk; ends after so many. */
    static ReadableByteChannel receive(DataInputStream in, long bytes) {
        return new Incoming(in, bytes);
    }

    private static final class Incoming implements ReadableByteChannel {

        private final DataInputStream in;
        private long left;
        private ByteBuffer chunk = ByteBuffer.allocate(0);

        Incoming(DataInputStream in, long bytes) {
            this.in = in;
            this.left = bytes;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            if (!chunk.hasRemaining()) {
                if (left == 0) {
                    return -1;
                }
                next();
            }
            int count = Math.min(chunk.remaining(), to.remaining());
            to.put(to.position(), chunk, chunk.position(), count);
            to.position(to.position() + count);
            chunk.position(chunk.position() + count);
            return count;
        }

        private void next() throws IOException {
            int length = in.readInt();
            if (length <= 0 || length > CHUNK || length > left) {
                throw new IOException("a chunk of " + (length & 0xffffffffL) + " bytes with " + left + " missing");
            }
            int expected = in.readInt();
            byte[] content = in.readNBytes(length);
            if (content.length < length) {
                throw new EOFException("closed with " + left + " bytes missing");
            }
            CRC32C sum = new CRC32C();
            sum.update(content, 0, length);
            if ((int) sum.getValue() != expected) {
                throw new IOException("a chunk was changed on its way");
            }
            chunk = ByteBuffer.wrap(content);
            left -= length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** The greeting that every agent says first. */
    static String line(InputStream in, int longest) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || text.length() == longest) {
                throw new IOException("no greeting of a line");
            }
            text.append((char) next);
        }
        return text.toString();
    }
}

package io.muster.agent.socket;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Frames of docs/client-protocol.md: length, JSON header, and as many raw bytes as the header says. */
final class Frame {

    static final int LONGEST_HEADER = 64 * 1024;

    private Frame() {}

    /** A stream that cannot be understood any further: the sender is told why, then the connection ends. */
    static final class Malformed extends IOException {

        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /** The next header; empty if the peer has closed between frames. */
    static Optional<JsonNode> readHeader(ReadableByteChannel channel, JsonMapper json) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(4);
        while (length.hasRemaining()) {
            if (channel.read(length) < 0) {
                if (length.position() == 0) {
                    return Optional.empty();
                }
                throw new EOFException("closed inside the length of a header");
            }
        }
        int size = length.flip().getInt();
        if (size <= 0 || size > LONGEST_HEADER) {
            throw new Malformed("a header has 1 to " + LONGEST_HEADER + " bytes, this one " + (size & 0xffffffffL));
        }
        ByteBuffer header = ByteBuffer.allocate(size);
        while (header.hasRemaining()) {
            if (channel.read(header) < 0) {
                throw new EOFException("closed inside a header");
            }
        }
        return Optional.of(parse(header.array(), json));
    }

    private static JsonNode parse(byte[] header, JsonMapper json) throws Malformed {
        try {
            JsonNode node = json.readTree(header);
            if (node != null && node.isObject()) {
                return node;
            }
        } catch (JacksonException wrong) {
            throw new Malformed("the header is not JSON: " + wrong.getOriginalMessage());
        }
        throw new Malformed("the header is not a JSON object");
    }

    /** The header's payloadBytes; 0 if it has none. */
    static long payloadBytes(JsonNode header) throws Malformed {
        JsonNode field = header.get("payloadBytes");
        if (field == null || field.isNull()) {
            return 0;
        }
        if (!field.isIntegralNumber() || !field.canConvertToLong() || field.longValue() < 0) {
            throw new Malformed("payloadBytes is " + field + "; a whole number from 0 is needed");
        }
        return field.longValue();
    }

    static void write(WritableByteChannel channel, Map<String, ?> header, JsonMapper json) throws IOException {
        byte[] content = json.writeValueAsBytes(header);
        ByteBuffer frame = ByteBuffer.allocate(4 + content.length);
        frame.putInt(content.length).put(content).flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }
}

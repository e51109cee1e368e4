package io.muster.agent.socket;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer's header, and its raw bytes if it has any. */
public record Reply(Map<String, Object> header, @Nullable Bytes bytes) {

    /** Writes exactly as many bytes as the header's payloadBytes says, or throws. */
    public interface Bytes {
        void writeTo(WritableByteChannel channel) throws IOException;
    }

    public static Reply ok(Map<String, ?> fields) {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("ok", true);
        header.putAll(fields);
        return new Reply(header, null);
    }

    public static Reply refused(String error, String message) {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("ok", false);
        header.put("error", error);
        header.put("message", message);
        return new Reply(header, null);
    }

    public Reply with(Bytes payload) {
        return new Reply(header, payload);
    }
}

package io.muster.agent.logs;

import io.muster.agent.disk.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The end of a rank's output, for reading why it ended. What cannot be read is empty. */
public final class LogTail {

    private static final int BYTES = 64 * 1024;

    private LogTail() {}

    public static String read(Path log) {
        try (FileChannel channel = RegularFile.open(log)) {
            long from = Math.max(0, channel.size() - BYTES);
            ByteBuffer buffer = ByteBuffer.allocate(BYTES);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, from + buffer.position()) < 0) {
                    break;
                }
            }
            return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return "";
        }
    }
}

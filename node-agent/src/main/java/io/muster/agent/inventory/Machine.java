package io.muster.agent.inventory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the kernel says of this machine. What cannot be read is 0 or {@code unknown}. */
public record Machine(int cpus, long memoryBytes, String bootId) {

    private static final Path PROC = Path.of("/proc");

    public static Machine read() {
        return new Machine(Runtime.getRuntime().availableProcessors(), meminfo("MemTotal:"), bootIdNow());
    }

    /** Bytes that could be given to a new process without swapping; 0 if unknown. */
    public static long availableMemory() {
        return meminfo("MemAvailable:");
    }

    private static String bootIdNow() {
        try {
            return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
        } catch (IOException unreadable) {
            return "unknown";
        }
    }

    private static long meminfo(String field) {
        try {
            for (String line : Files.readAllLines(PROC.resolve("meminfo"))) {
                if (line.startsWith(field)) {
                    List<String> words =
                            List.of(line.substring(field.length()).strip().split(" ", -1));
                    return Long.parseLong(words.getFirst()) * 1024;
                }
            }
            return 0;
        } catch (IOException unreadable) {
            return 0;
        }
    }
}

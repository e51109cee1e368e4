package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Tells the terminal how the start goes: one JSON object a line in {@code log/progress.jsonl}. */
final class Progress {

    private final Path file;
    private final JsonMapper mapper;
    private final long began = System.nanoTime();

    Progress(Path file, JsonMapper mapper) {
        this.file = file;
        this.mapper = mapper;
    }

    void step(String message) {
        write("step", "%5.1f s  %s".formatted((System.nanoTime() - began) / 1e9, message));
    }

    void ready() {
        write("ready", "ready");
    }

    void failed(String message) {
        write("failed", message);
    }

    private synchronized void write(String event, String message) {
        Map<String, String> line = new LinkedHashMap<>();
        line.put("event", event);
        line.put("message", message);
        try {
            Files.writeString(
                    file, mapper.writeValueAsString(line) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}

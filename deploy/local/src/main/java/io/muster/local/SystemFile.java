package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code system.json}: what runs from this home, for every command, and for the next {@code up} if this system is
 * killed. Written from the first part on and again whenever one is started; a process is named by its pid and the
 * moment of its start, so that a pid given to another process later is not taken for it.
 */
final class SystemFile {

    private final LocalOptions options;
    private final Layout layout;
    private final JsonMapper mapper;
    private final Instant startedAt;
    private final Map<String, Object> parts = new LinkedHashMap<>();
    private boolean ready;

    SystemFile(LocalOptions options, Layout layout, JsonMapper mapper, Instant startedAt) {
        this.options = options;
        this.layout = layout;
        this.mapper = mapper;
        this.startedAt = startedAt;
    }

    /** A part has been started, for the first time or again. */
    synchronized void started(String label, long pid) {
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("pid", pid);
        part.put("startTicks", startTicks(pid));
        Integer port = port(label);
        if (port != null) {
            part.put("port", port);
        }
        parts.put(label, part);
        write();
    }

    synchronized void ready() {
        ready = true;
        write();
    }

    private void write() {
        long self = ProcessHandle.current().pid();
        Map<String, Object> system = new LinkedHashMap<>();
        system.put("pid", self);
        system.put("startTicks", startTicks(self));
        system.put("startedAt", startedAt.toString());
        system.put("ready", ready);
        system.put("gateway", layout.url(ServiceName.GATEWAY));
        system.put("processes", options.processes());
        system.put("nodes", options.nodes());
        system.put("racks", options.racks());
        system.put("portOffset", options.portOffset());
        system.put("parts", parts);
        Path file = layout.home().resolve("system.json");
        Path part = layout.home().resolve("system.json.part");
        try {
            Files.writeString(part, mapper.writerWithDefaultPrettyPrinter().writeValueAsString(system) + "\n");
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private @Nullable Integer port(String label) {
        for (ServiceName service : ServiceName.values()) {
            if (service.label().equals(label)) {
                return layout.port(service);
            }
        }
        return switch (label) {
            case "postgresql" -> layout.databasePort();
            case "kafka" -> layout.brokerPort();
            default -> null;
        };
    }

    /** Field 22 of the process's stat, in clock ticks since boot; 0 if it has ended already. */
    private static long startTicks(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19]);
        } catch (IOException e) {
            return 0;
        }
    }
}

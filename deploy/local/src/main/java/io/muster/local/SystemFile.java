package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** {@code system.json}: what runs from this home, for {@code ./muster status} and every other command. */
final class SystemFile {

    private final Layout layout;
    private final JsonMapper mapper;

    SystemFile(Layout layout, JsonMapper mapper) {
        this.layout = layout;
        this.mapper = mapper;
    }

    void write(LocalOptions options, Instant startedAt, Map<String, Long> pids) {
        long self = ProcessHandle.current().pid();
        Map<String, Object> system = new LinkedHashMap<>();
        system.put("pid", self);
        system.put("startTicks", startTicks(self));
        system.put("startedAt", startedAt.toString());
        system.put("gateway", layout.url(ServiceName.GATEWAY));
        system.put("processes", options.processes());
        system.put("nodes", options.nodes());
        system.put("racks", options.racks());
        system.put("portOffset", options.portOffset());
        Map<String, Object> parts = new LinkedHashMap<>();
        pids.forEach((label, pid) -> parts.put(label, part(label, pid)));
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

    private Map<String, Object> part(String label, long pid) {
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("pid", pid);
        switch (label) {
            case "postgresql" -> part.put("port", layout.databasePort());
            case "kafka" -> part.put("port", layout.brokerPort());
            default -> {
                for (ServiceName service : ServiceName.values()) {
                    if (service.label().equals(label)) {
                        part.put("port", layout.port(service));
                    }
                }
            }
        }
        return part;
    }

    /** Field 22 of the process's stat: with the pid it names a process for good. */
    private static long startTicks(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19]);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the start time of process " + pid, e);
        }
    }
}

package io.muster.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * How often the kernel has killed for lack of memory in this agent's control group (version 2 or 1). Machines without
 * readable control groups always say 0: there a kill is only seen as a signal.
 */
public final class OutOfMemoryKills implements LongSupplier {

    private final Path proc;
    private final Path groups;

    public OutOfMemoryKills() {
        this(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
    }

    OutOfMemoryKills(Path proc, Path groups) {
        this.proc = proc;
        this.groups = groups;
    }

    @Override
    public long getAsLong() {
        try {
            for (String line : Files.readAllLines(proc)) {
                List<String> parts = List.of(line.split(":", 3));
                if (parts.size() == 3) {
                    String relative = parts.get(2).substring(1);
                    long found = 0;
                    if (parts.get(1).isEmpty()) {
                        found = count(groups.resolve(relative).resolve("memory.events"));
                    } else if (List.of(parts.get(1).split(",", -1)).contains("memory")) {
                        found = count(groups.resolve("memory").resolve(relative).resolve("memory.oom_control"));
                    }
                    if (found > 0) {
                        return found;
                    }
                }
            }
            return 0;
        } catch (IOException unreadable) {
            return 0;
        }
    }

    private static long count(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            return 0;
        }
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith("oom_kill ")) {
                return Long.parseLong(line.substring("oom_kill ".length()).strip());
            }
        }
        return 0;
    }
}

package io.muster.agent.process;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The kernel's list of processes. A process that ends while it is read is not in the answer. */
public final class ProcessTable {

    private static final Path PROC = Path.of("/proc");

    public Optional<ProcessEntry> find(long pid) {
        try {
            return ProcessEntry.parse(Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1));
        } catch (IOException ended) {
            return Optional.empty();
        }
    }

    /** The process that was started then, if it is still alive: a pid used again by another is not it. */
    public boolean alive(long pid, long startTicks) {
        return find(pid)
                .filter(entry -> entry.startTicks() == startTicks && entry.alive())
                .isPresent();
    }

    public List<ProcessEntry> all() throws IOException {
        List<ProcessEntry> found = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path folder : folders) {
                find(Long.parseLong(folder.getFileName().toString())).ifPresent(found::add);
            }
        }
        return found;
    }

    /** Clock ticks from boot until now, as starts of processes are counted. */
    public long now() throws IOException {
        String uptime = Files.readString(PROC.resolve("uptime"), StandardCharsets.ISO_8859_1);
        return new BigDecimal(uptime.substring(0, uptime.indexOf(' ')))
                .movePointRight(2)
                .longValue();
    }

    /** Its working folder and the files that it has open; as many as may be seen. */
    Set<Path> files(long pid) {
        Path process = PROC.resolve(Long.toString(pid));
        Set<Path> found = new LinkedHashSet<>();
        target(process.resolve("cwd")).ifPresent(found::add);
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                target(descriptor).ifPresent(found::add);
            }
        } catch (IOException | DirectoryIteratorException ended) {
            return found;
        }
        return found;
    }

    private static Optional<Path> target(Path link) {
        try {
            return Optional.of(Files.readSymbolicLink(link));
        } catch (IOException ended) {
            return Optional.empty();
        }
    }

    /** The value that the process was started with; empty if it has none or may not be read. */
    public Optional<String> environment(long pid, String variable) {
        try {
            String all = Files.readString(PROC.resolve(pid + "/environ"), StandardCharsets.ISO_8859_1);
            String wanted = variable + "=";
            int at = all.startsWith(wanted) ? 0 : all.indexOf("\0" + wanted) + 1;
            if (at == 0 && !all.startsWith(wanted)) {
                return Optional.empty();
            }
            int end = all.indexOf('\0', at);
            return Optional.of(all.substring(at + wanted.length(), end < 0 ? all.length() : end));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}

package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A part of the system in a process of its own, with its log file. */
record ChildProcess(String label, Process process) {

    static ChildProcess start(String label, Path log, List<String> command, Map<String, String> environment) {
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .redirectErrorStream(true);
            builder.environment().clear();
            builder.environment().put("PATH", System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin"));
            builder.environment().put("LANG", "C.UTF-8");
            builder.environment().putAll(environment);
            return new ChildProcess(label, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + label, e);
        }
    }

    long pid() {
        return process.pid();
    }

    void terminate() {
        process.destroy();
    }

    /** Waits for the end; after the time is over it is killed. */
    void awaitEnd(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }
}

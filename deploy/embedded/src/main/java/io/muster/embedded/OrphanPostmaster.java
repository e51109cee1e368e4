package io.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A PostgreSQL that outlived the process which started it. It is stopped with SIGINT (a fast shutdown: clients are
 * disconnected, what is committed stays) and, if it does not end in time, with SIGKILL, after which PostgreSQL recovers
 * from its log at the next start. A process is only taken for the orphan when the kernel says that it is a postgres
 * with this data folder: a process id alone may have been reused.
 */
final class OrphanPostmaster {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private OrphanPostmaster() {}

    static void stop(Path data) throws IOException {
        Optional<ProcessHandle> orphan = find(data);
        if (orphan.isEmpty()) {
            return;
        }
        ProcessHandle process = orphan.get();
        interrupt(process.pid());
        try {
            process.onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            process.onExit().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(
                    "interrupted while an orphaned PostgreSQL (pid " + process.pid() + ") was stopping", e);
        } catch (ExecutionException e) {
            throw new IOException("could not watch the orphaned PostgreSQL (pid " + process.pid() + ")", e);
        }
    }

    private static Optional<ProcessHandle> find(Path data) throws IOException {
        Path pidFile = data.resolve("postmaster.pid");
        if (!Files.exists(pidFile)) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(pidFile);
        if (lines.isEmpty() || !lines.getFirst().strip().matches("[0-9]{1,9}")) {
            return Optional.empty();
        }
        long pid = Long.parseLong(lines.getFirst().strip());
        return ProcessHandle.of(pid).filter(process -> isPostgresOf(data, pid));
    }

    private static boolean isPostgresOf(Path data, long pid) {
        try {
            String[] command =
                    Files.readString(Path.of("/proc/" + pid + "/cmdline")).split("\0", -1);
            if (!command[0].endsWith("postgres")) {
                return false;
            }
            for (String argument : command) {
                if (argument.equals(data.toString())
                        || argument.equals(data.toAbsolutePath().toString())) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false; // it ended meanwhile
        }
    }

    private static void interrupt(long pid) throws IOException {
        try {
            new ProcessBuilder("kill", "-INT", Long.toString(pid)).start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while stopping an orphaned PostgreSQL (pid " + pid + ")", e);
        }
    }
}

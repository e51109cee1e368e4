package io.muster.testing;

import io.muster.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/**
 * Where the servers of this test JVM run and when they go: after Spring has closed the contexts that use them. What a
 * killed test JVM left behind (a running PostgreSQL, a folder) is removed by the next one.
 */
final class TestMachine {

    static final boolean DOCKER = !Boolean.getBoolean("muster.test.embedded")
            && DockerClientFactory.instance().isDockerAvailable();

    private static final Deque<Runnable> AT_EXIT = new ArrayDeque<>();
    private static final Path ROOT = Path.of(System.getProperty("java.io.tmpdir"), "muster-test");
    private static final Path FOLDER = makeFolder();

    private TestMachine() {}

    static Path binaries() {
        return ROOT.resolve("postgres");
    }

    static Path folder() {
        return FOLDER;
    }

    /** The last registered goes first, all of them after the contexts. */
    static void atExit(Runnable action) {
        synchronized (AT_EXIT) {
            if (AT_EXIT.isEmpty()) {
                Runtime.getRuntime().addShutdownHook(new Thread(TestMachine::exit, "test-machine-stop"));
            }
            AT_EXIT.push(action);
        }
    }

    private static void exit() {
        awaitSpring();
        synchronized (AT_EXIT) {
            while (!AT_EXIT.isEmpty()) {
                AT_EXIT.pop().run();
            }
        }
    }

    /**
     * All shutdown hooks start together, and Spring's closes the contexts. It has no place to wait for it that works in
     * a test JVM without any SpringApplication, so its thread is looked for by name.
     */
    private static void awaitSpring() {
        try {
            for (int look = 0; look < 10; look++) {
                for (Thread thread : Thread.getAllStackTraces().keySet()) {
                    if (thread.getName().equals("SpringApplicationShutdownHook")) {
                        thread.join(Duration.ofSeconds(30));
                        return;
                    }
                }
                Thread.sleep(Duration.ofMillis(20));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Path makeFolder() {
        try {
            Files.createDirectories(ROOT.resolve("runs"));
            removeLeftovers();
            Path folder = Files.createTempDirectory(
                    ROOT.resolve("runs"), ProcessHandle.current().pid() + "-");
            atExit(() -> delete(folder));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for the test servers under " + ROOT, e);
        }
    }

    private static void removeLeftovers() throws IOException {
        List<Path> runs;
        try (Stream<Path> folders = Files.list(ROOT.resolve("runs"))) {
            runs = folders.sorted().toList();
        }
        for (Path run : runs) {
            String pid = run.getFileName().toString().replaceFirst("-.*", "");
            boolean alive = ProcessHandle.of(Long.parseLong(pid)).isPresent();
            if (!alive) {
                removeQuietly(run);
            }
        }
    }

    /** Another test JVM may be removing the same leftover: whoever loses leaves it. */
    private static void removeQuietly(Path run) {
        try {
            EmbeddedDatabase.remove(run.resolve("database"));
        } catch (IllegalStateException | UncheckedIOException e) {
            return;
        }
        delete(run);
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.getLogger(TestMachine.class.getName())
                    .log(System.Logger.Level.WARNING, "could not delete " + folder + ": " + e.getMessage());
        }
    }
}

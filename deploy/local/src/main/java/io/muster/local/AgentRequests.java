package io.muster.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts agents again when the command line asks for it: a file {@code start-NODE} in the folder of requests, which is
 * taken away before the start. A file and not a port, because only who may write in the home may ask. A request that
 * cannot be read or fulfilled is said in the log and does not keep the next one.
 */
final class AgentRequests implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AgentRequests.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);
    private static final String START = "start-";

    private final Path folder;
    private final Agents agents;
    private final ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("agent-requests").daemon().factory());

    AgentRequests(Path folder, Agents agents) {
        this.folder = folder;
        this.agents = agents;
    }

    /** Requests to an earlier life of this system are void. */
    void begin() throws IOException {
        Files.createDirectories(folder);
        try (DirectoryStream<Path> old = Files.newDirectoryStream(folder, START + "*")) {
            for (Path request : old) {
                Files.deleteIfExists(request);
            }
        }
        var unusedFuture = looks.scheduleWithFixedDelay(
                this::look, LOOK_EVERY.toMillis(), LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try (DirectoryStream<Path> requests = Files.newDirectoryStream(folder, START + "*")) {
            for (Path request : requests) {
                Files.deleteIfExists(request);
                agents.startAgain(request.getFileName().toString().substring(START.length()));
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("requests in {} could not be fulfilled", folder, e);
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}

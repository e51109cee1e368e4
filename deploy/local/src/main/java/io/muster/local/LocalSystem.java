package io.muster.local;

import io.muster.embedded.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Starts the whole system on this machine and keeps it until SIGTERM: database, broker, the six services, agents. Stops
 * in the opposite order; all data stays in the home folder. A part that cannot start ends everything with one line.
 */
public final class LocalSystem implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LocalSystem.class);
    private static final Duration SERVICE_LIMIT = Duration.ofMinutes(5);
    private static final Duration NODES_LIMIT = Duration.ofMinutes(5);
    /** More than the cores of a small machine would only slow one another down. */
    private static final int STARTED_AT_ONCE = 2;

    private final LocalOptions options;
    private final Layout layout;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final Secrets secrets;
    private final Progress progress;
    private final JavaCommand java = JavaCommand.ofThisJvm();
    private final List<AutoCloseable> started = new ArrayList<>();
    private volatile List<String> startedNodes = List.of();
    private boolean closed;

    LocalSystem(LocalOptions options) {
        this.options = options;
        this.layout = Layout.of(options);
        this.secrets = new Secrets(layout.secrets(), mapper);
        this.progress = new Progress(layout.logs().resolve("progress.jsonl"), mapper);
    }

    public static void main(String[] arguments) throws InterruptedException {
        LocalSystem system = new LocalSystem(LocalOptions.parse(arguments));
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            system.close();
                            stopped.countDown();
                        },
                        "local-system-stop"));
        try {
            system.start();
        } catch (RuntimeException e) {
            LOG.error("the local system did not start", e);
            system.progress.failed(rootMessage(e));
            System.exit(1);
        }
        stopped.await();
    }

    void start() {
        prepareFolders();
        secrets.createMissing(layout);
        SystemFile file = new SystemFile(options, layout, mapper, Instant.now());
        ServiceHost host =
                options.processes() ? new OwnProcesses(layout, java, mapper, file) : new OneJvm(layout, file);
        Agents agents = new Agents(layout, secrets, java, options.client(), file);
        AgentRequests requests = new AgentRequests(layout.requests(), agents);
        try (Parallel parallel = new Parallel(STARTED_AT_ONCE)) {
            closeLater(host);
            parallel.all(List.of(() -> startDatabase(file), () -> startBroker(host)));
            closeLater(agents);
            closeLater(requests);
            parallel.all(Stream.of(ServiceName.values())
                    .map(service -> (Runnable) () -> startService(host, service, agents))
                    .toList());
        }
        progress.step(new Readiness(layout, secrets, mapper).awaitNodes(startedNodes, NODES_LIMIT));
        begin(requests);
        file.ready();
        progress.ready();
    }

    /** The agents can join as soon as health-service answers; they need not wait for the others. */
    private void startService(ServiceHost host, ServiceName service, Agents agents) {
        host.start(service, new Settings(layout, secrets).of(service));
        new Readiness(layout, secrets, mapper).awaitService(service, SERVICE_LIMIT);
        progress.step(service.label() + " on port " + layout.port(service));
        if (service == ServiceName.HEALTH) {
            startedNodes = agents.startAll();
            progress.step(startedNodes.size() + " agents started");
        }
    }

    private void prepareFolders() {
        try {
            Files.createDirectories(layout.home());
            Files.createDirectories(layout.logs());
            Files.createDirectories(layout.store());
            layout.keptDown().forget();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the folders below " + layout.home(), e);
        }
    }

    private static void begin(AgentRequests requests) {
        try {
            requests.begin();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the folder of requests", e);
        }
    }

    private void startDatabase(SystemFile file) {
        SupervisedDatabase database = new SupervisedDatabase(layout, secrets, file);
        closeLast(database);
        database.start();
        progress.step("PostgreSQL on port " + layout.databasePort());
    }

    private void startBroker(ServiceHost host) {
        host.startBroker();
        Topics.create("127.0.0.1:" + layout.brokerPort(), SystemTopics.all());
        progress.step("Kafka on port " + layout.brokerPort());
    }

    /** After a stop during the start, what comes up late is stopped at once. */
    private synchronized void closeLater(AutoCloseable part) {
        started.addLast(part);
        closeIfLate();
    }

    /** The database outlives all that writes to it. */
    private synchronized void closeLast(AutoCloseable part) {
        started.addFirst(part);
        closeIfLate();
    }

    private void closeIfLate() {
        if (closed) {
            close();
            throw new IllegalStateException("stopped during its start");
        }
    }

    /** Stops what was started, last first; one part that fails to stop does not keep the others. */
    @Override
    public synchronized void close() {
        closed = true;
        while (!started.isEmpty()) {
            AutoCloseable part = started.removeLast();
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("{} did not stop in order", part.getClass().getSimpleName(), e);
            }
        }
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = failure.getMessage();
        return root == failure || message == null
                ? String.valueOf(root.getMessage())
                : message + ": " + root.getMessage();
    }
}

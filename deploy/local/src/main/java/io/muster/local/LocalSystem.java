package io.muster.local;

import io.muster.contract.Topics;
import io.muster.embedded.DatabaseSettings;
import io.muster.embedded.EmbeddedDatabase;
import io.muster.embedded.TopicSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Starts the whole system on this machine and keeps it until SIGTERM: database, broker, the six services, agents. Stops
 * in the opposite order; all data stays in the home folder. A part that cannot start ends everything with one line.
 */
public final class LocalSystem implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LocalSystem.class);
    private static final Duration SERVICE_LIMIT = Duration.ofSeconds(90);
    private static final Duration NODES_LIMIT = Duration.ofSeconds(90);
    private static final Duration FAULT_RETENTION = Duration.ofDays(30);
    private static final int PARTITIONS = 3;

    private final LocalOptions options;
    private final Layout layout;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final Secrets secrets;
    private final Progress progress;
    private final JavaCommand java = JavaCommand.ofThisJvm();
    private final List<AutoCloseable> started = new ArrayList<>();
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
        Instant startedAt = Instant.now();
        prepareFolders();
        secrets.createMissing(layout);
        Map<String, Long> pids = new LinkedHashMap<>();
        pids.put("postgresql", startDatabase());
        ServiceHost host = options.processes() ? new OwnProcesses(layout, java, mapper) : new OneJvm(layout);
        closeLater(host);
        host.startBroker();
        createTopics();
        progress.step("Kafka on port " + layout.brokerPort());
        startServices(host);
        Agents agents = new Agents(layout, secrets, java, options.client());
        closeLater(agents);
        agents.startAll();
        progress.step(options.nodes() + " agents started");
        new Readiness(layout, secrets, mapper).awaitNodes(options.nodes(), NODES_LIMIT);
        progress.step(options.nodes() + " nodes healthy");
        pids.putAll(host.pids());
        pids.putAll(agents.pids());
        new SystemFile(layout, mapper).write(options, startedAt, pids);
        progress.ready();
    }

    private void prepareFolders() {
        try {
            Files.createDirectories(layout.home());
            Files.createDirectories(layout.logs());
            Files.createDirectories(layout.store());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the folders below " + layout.home(), e);
        }
    }

    private long startDatabase() {
        EmbeddedDatabase database = EmbeddedDatabase.start(new DatabaseSettings(
                layout.home().resolve("postgresql"),
                layout.home().resolve("postgresql-binaries"),
                secrets.superuserFile(),
                layout.databasePort()));
        closeLater(database);
        for (ServiceName service : ServiceName.values()) {
            database.ensureService(service.database(), service.database(), secrets.databasePassword(service));
        }
        progress.step("PostgreSQL on port " + layout.databasePort());
        return ProcessHandle.current().pid();
    }

    private void createTopics() {
        List<TopicSpec> topics = List.of(
                new TopicSpec(Topics.JOBS, PARTITIONS, true, null),
                new TopicSpec(Topics.PLACEMENTS, PARTITIONS, false, FAULT_RETENTION),
                new TopicSpec(Topics.NODES, PARTITIONS, true, null),
                new TopicSpec(Topics.QUOTAS, 1, true, null),
                new TopicSpec(Topics.CHECKPOINTS, PARTITIONS, false, FAULT_RETENTION));
        io.muster.embedded.Topics.create("127.0.0.1:" + layout.brokerPort(), topics);
    }

    private void startServices(ServiceHost host) {
        Settings settings = new Settings(layout, secrets);
        Readiness readiness = new Readiness(layout, secrets, mapper);
        for (ServiceName service : ServiceName.values()) {
            host.start(service, settings.of(service));
            if (!options.processes()) {
                progress.step(service.label() + " on port " + layout.port(service));
            }
        }
        for (ServiceName service : ServiceName.values()) {
            readiness.awaitService(service, SERVICE_LIMIT);
            if (options.processes()) {
                progress.step(service.label() + " on port " + layout.port(service));
            }
        }
    }

    /** After a stop during the start, what comes up late is stopped at once. */
    private synchronized void closeLater(AutoCloseable part) {
        started.addLast(part);
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

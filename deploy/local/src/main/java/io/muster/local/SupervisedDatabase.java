package io.muster.local;

import io.muster.embedded.DatabaseSettings;
import io.muster.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** PostgreSQL with one database and role per service. If its server dies it is started again after 5 s, or when it is no longer kept down. */
final class SupervisedDatabase implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SupervisedDatabase.class);
    private static final int RESTART_SECONDS = 5;
    private static final int LOOK_AGAIN_MILLIS = 250;
    private static final String PART = "postgresql";

    private final Layout layout;
    private final Secrets secrets;
    private final SystemFile file;
    private final ScheduledExecutorService supervision = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("database-supervision").daemon().factory());
    private @Nullable EmbeddedDatabase database;
    private boolean closing;

    SupervisedDatabase(Layout layout, Secrets secrets, SystemFile file) {
        this.layout = layout;
        this.secrets = secrets;
        this.file = file;
    }

    synchronized void start() {
        EmbeddedDatabase started = EmbeddedDatabase.start(new DatabaseSettings(
                home(), layout.home().resolve("postgresql-binaries"), secrets.superuserFile(), layout.databasePort()));
        database = started;
        for (ServiceName service : ServiceName.values()) {
            started.ensureService(service.database(), service.database(), secrets.databasePassword(service));
        }
        long pid = serverPid();
        file.started(PART, pid);
        ProcessHandle.of(pid).ifPresent(server -> {
            var unusedFuture = server.onExit().thenRun(this::restartLater);
        });
    }

    private synchronized void restartLater() {
        if (!closing) {
            LOG.warn("PostgreSQL has ended; starting it again in {} s", RESTART_SECONDS);
            var unusedFuture = supervision.schedule(this::restart, RESTART_SECONDS, TimeUnit.SECONDS);
        }
    }

    private synchronized void restart() {
        if (closing) {
            return;
        }
        if (layout.keptDown().has(PART)) {
            var unusedFuture = supervision.schedule(this::restart, LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        try {
            closeServer();
            start();
        } catch (RuntimeException e) {
            LOG.error("PostgreSQL could not be started again", e);
            restartLater();
        }
    }

    private Path home() {
        return layout.home().resolve("postgresql");
    }

    /** The first line of the server's own pid file. */
    private long serverPid() {
        Path pidFile = home().resolve("data/postmaster.pid");
        try {
            return Long.parseLong(Files.readAllLines(pidFile).getFirst().strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + pidFile, e);
        }
    }

    private void closeServer() {
        if (database != null) {
            try {
                database.close();
            } catch (RuntimeException e) {
                LOG.info("the ended server could not be closed in order: {}", e.getMessage());
            }
            database = null;
        }
    }

    @Override
    public synchronized void close() {
        closing = true;
        supervision.shutdownNow();
        closeServer();
    }
}

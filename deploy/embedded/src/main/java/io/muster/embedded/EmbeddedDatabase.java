package io.muster.embedded;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * One PostgreSQL on 127.0.0.1 whose data outlives the process.
 *
 * <p>Every user, the superuser included, needs a password (scram-sha-256) from the very first second: the cluster is
 * initialised that way, so there is no window of trust. What is committed is on disk (fsync and synchronous_commit are
 * on, unlike the library's defaults).
 *
 * <p>After a kill -9 of the owning process its server lives on as an orphan: the next start stops it and starts afresh,
 * so that the port and the settings are those asked for. A second owner of the same home is refused instead. A first
 * start that was killed half-way leaves no marker and is begun again from nothing. The server is stopped by
 * {@link #close()} alone, never by a shutdown hook of its own, because the services must be closed before it.
 */
public final class EmbeddedDatabase implements AutoCloseable {

    /** What every deployment of this database says, wherever it runs: what is committed is on disk, and scram only. */
    public static final Map<String, String> SERVER_SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "password_encryption", "scram-sha-256",
            "max_connections", "200");

    private final EmbeddedPostgres server;
    private final HomeLock lock;
    private final String password;

    private EmbeddedDatabase(EmbeddedPostgres server, HomeLock lock, String password) {
        this.server = server;
        this.lock = lock;
        this.password = password;
    }

    public static EmbeddedDatabase start(DatabaseSettings settings) {
        HomeLock lock = HomeLock.take(settings.home(), "PostgreSQL");
        try {
            DatabaseHome home = new DatabaseHome(settings.home());
            boolean first = home.prepare();
            String password = SuperuserSecret.readOrCreate(settings.secretsFile(), first);
            EmbeddedPostgres server = startServer(settings, home, password);
            home.markInitialised();
            var database = new EmbeddedDatabase(server, lock, password);
            database.administration().closeMaintenanceDatabases();
            return database;
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Stops what still runs on the home and deletes it; refused while a living process owns it. */
    public static void remove(Path home) {
        try (HomeLock _ = HomeLock.take(home, "PostgreSQL")) {
            OrphanPostmaster.stop(new DatabaseHome(home).data());
            Folders.delete(home);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove the database folder " + home, e);
        }
    }

    private static EmbeddedPostgres startServer(DatabaseSettings settings, DatabaseHome home, String password) {
        int port = Ports.givenOrFree(settings.port());
        Ports.requireFree("PostgreSQL", port);
        try {
            Files.createDirectories(settings.binaries());
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
            SERVER_SETTINGS.forEach(builder::setServerConfig);
            return builder.setDataDirectory(home.data())
                    .setCleanDataDirectory(false)
                    .setOverrideWorkingDirectory(settings.binaries().toFile())
                    .setPort(port)
                    // handed to initdb: they replace the library's "-A trust"
                    .setLocaleConfig("auth", "scram-sha-256")
                    .setLocaleConfig(
                            "pwfile", settings.secretsFile().toAbsolutePath().toString())
                    .setConnectConfig("password", password)
                    .setServerConfig("listen_addresses", Ports.LOOPBACK)
                    .setServerConfig("unix_socket_directories", "")
                    .setOutputRedirector(Redirect.appendTo(home.log().toFile()))
                    .setErrorRedirector(Redirect.appendTo(home.log().toFile()))
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .start();
        } catch (IOException | IllegalStateException e) {
            throw new IllegalStateException(
                    "PostgreSQL did not start in " + settings.home() + " on port " + port + ": see " + home.log(), e);
        }
    }

    public int port() {
        return server.getPort();
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + Ports.LOOPBACK + ":" + port() + "/" + SqlName.checked(database);
    }

    /** {@link DatabaseAdministration#ensureService}. */
    public void ensureService(String database, String role, String rolePassword) {
        administration().ensureService(database, role, rolePassword);
    }

    private DatabaseAdministration administration() {
        return new DatabaseAdministration(Ports.LOOPBACK + ":" + port(), password);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL on port " + port() + " did not stop", e);
        } finally {
            lock.close();
        }
    }

    /** The folder of one server; see the class comment for what its marker decides. */
    private record DatabaseHome(Path root) {

        Path data() {
            return root.resolve("data");
        }

        Path log() {
            return root.resolve("postgres.log");
        }

        private Path marker() {
            return root.resolve("initialised");
        }

        /** True when the cluster is still to be initialised. */
        boolean prepare() {
            try {
                OrphanPostmaster.stop(data());
                if (Files.exists(marker())) {
                    return false;
                }
                Folders.delete(data());
                Files.createDirectories(data());
                return true;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot prepare the database folder " + root, e);
            }
        }

        void markInitialised() {
            try {
                if (!Files.exists(marker())) {
                    Files.createFile(marker());
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write " + marker(), e);
            }
        }
    }
}

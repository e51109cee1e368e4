package io.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatabaseTest {

    private static final Path BINARIES = Path.of(System.getProperty("java.io.tmpdir"), "muster-test-postgres");

    @TempDir
    Path folder;

    @Test
    void dataAndPasswordsOutliveARestartAndSettingsAreDurable() throws SQLException {
        int port;
        try (var database = EmbeddedDatabase.start(settings(0))) {
            port = database.port();
            database.ensureService("muster_job", "muster_job", "first");
            execute(
                    database,
                    "muster_job",
                    "muster_job",
                    "first",
                    "CREATE TABLE kept (n int)",
                    "INSERT INTO kept VALUES (7)");
            assertThat(query(database, "muster_job", "first", "SHOW fsync")).isEqualTo("on");
            assertThat(query(database, "muster_job", "first", "SHOW synchronous_commit"))
                    .isEqualTo("on");
            assertThat(query(database, "muster_job", "first", "SHOW listen_addresses"))
                    .isEqualTo("127.0.0.1");
            assertThat(query(database, "muster_job", "first", "SHOW max_connections"))
                    .isEqualTo("200");
        }
        try (var database = EmbeddedDatabase.start(settings(port))) {
            assertThat(database.port()).isEqualTo(port);
            database.ensureService("muster_job", "muster_job", "second");
            assertThat(query(database, "muster_job", "second", "SELECT n FROM kept"))
                    .isEqualTo("7");
            assertThatThrownBy(() -> query(database, "muster_job", "first", "SELECT 1"))
                    .hasMessageContaining("password authentication failed");
        }
    }

    @Test
    void everyOneNeedsItsOwnPasswordAndKeepsToItsOwnDatabase() throws Exception {
        try (var database = EmbeddedDatabase.start(settings(0))) {
            database.ensureService("muster_job", "muster_job", "job-secret");
            database.ensureService("muster_quota", "muster_quota", "quota-secret");

            assertThat(Files.getPosixFilePermissions(folder.resolve("secret")))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            for (String superuserGuess : List.of("", "postgres", "job-secret")) {
                assertThatThrownBy(() -> connect(database, "postgres", "postgres", superuserGuess))
                        .isInstanceOf(SQLException.class);
            }
            assertThatThrownBy(() -> connect(database, "muster_job", "muster_job", "quota-secret"))
                    .hasMessageContaining("password authentication failed");
            for (String other : List.of("muster_quota", "postgres", "template1")) {
                assertThatThrownBy(() -> connect(database, other, "muster_job", "job-secret"))
                        .as("muster_job on %s", other)
                        .hasMessageContaining("permission denied for database");
            }
            assertThatThrownBy(() ->
                            execute(database, "muster_job", "muster_job", "job-secret", "CREATE ROLE other LOGIN"))
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void anOrphanOfAKilledOwnerIsStoppedAndALivingOwnerIsRespected() throws Exception {
        Process owner = DatabaseOwner.launch(settings(0));
        long postmaster = Long.parseLong(Files.readAllLines(folder.resolve("pg/data/postmaster.pid"))
                .getFirst()
                .strip());
        assertThatThrownBy(() -> EmbeddedDatabase.start(settings(0)))
                .hasMessageContaining("already belongs to a running process");

        owner.destroyForcibly().waitFor();
        assertThat(ProcessHandle.of(postmaster).filter(ProcessHandle::isAlive)).isPresent();
        try (var second = EmbeddedDatabase.start(settings(0))) {
            assertThat(ProcessHandle.of(postmaster).filter(ProcessHandle::isAlive))
                    .isEmpty();
            assertThat(query(second, "muster_job", DatabaseOwner.PASSWORD, "SELECT n FROM kept"))
                    .isEqualTo("7");
        }
    }

    @Test
    void aFirstStartThatWasCutShortIsBegunAgain() throws Exception {
        Files.createDirectories(folder.resolve("pg/data/base"));
        Files.writeString(folder.resolve("pg/data/postgresql.conf"), "half = written");
        try (var database = EmbeddedDatabase.start(settings(0))) {
            database.ensureService("muster_job", "muster_job", "secret");
            assertThat(query(database, "muster_job", "secret", "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aLostPasswordFileIsToldClearly() throws Exception {
        EmbeddedDatabase.start(settings(0)).close();
        Files.delete(folder.resolve("secret"));
        assertThatThrownBy(() -> EmbeddedDatabase.start(settings(0)))
                .hasMessageContaining("put the file back, or remove the database folder");
    }

    @Test
    void namesThatWouldNeedQuotingAreRefused() {
        for (String name : List.of("", "Job", "job-x", "job\"; DROP ROLE postgres; --", "1job")) {
            assertThatThrownBy(() -> SqlName.checked(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private DatabaseSettings settings(int port) {
        return new DatabaseSettings(folder.resolve("pg"), BINARIES, folder.resolve("secret"), port);
    }

    private static Connection connect(EmbeddedDatabase database, String name, String role, String password)
            throws SQLException {
        return DriverManager.getConnection(database.jdbcUrl(name), role, password);
    }

    private static void execute(EmbeddedDatabase database, String name, String role, String password, String... sql)
            throws SQLException {
        try (var connection = connect(database, name, role, password);
                var statement = connection.createStatement()) {
            for (String line : sql) {
                statement.execute(line);
            }
        }
    }

    private static String query(EmbeddedDatabase database, String service, String password, String sql)
            throws SQLException {
        try (var connection = connect(database, service, service, password);
                var rows = connection.createStatement().executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return String.join(",", values);
        }
    }
}

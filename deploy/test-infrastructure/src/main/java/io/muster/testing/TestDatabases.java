package io.muster.testing;

import io.muster.embedded.DatabaseSettings;
import io.muster.embedded.EmbeddedDatabase;
import io.muster.embedded.ServiceDatabases;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Databases on the one PostgreSQL of this test JVM, which is started by the first use. */
public final class TestDatabases {

    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Map<String, TestDatabase> NAMED = new ConcurrentHashMap<>();

    private TestDatabases() {}

    /** A new, empty database with a role of its own. */
    public static TestDatabase fresh(String prefix) {
        String name = prefix + "_" + COUNT.incrementAndGet();
        String password = "secret-of-" + name;
        String url = TestMachine.DOCKER ? inContainer(name, password) : embedded(name, password);
        return new TestDatabase(name, url, name, password);
    }

    /** The same database for the same name within this JVM: for several instances of one service. */
    public static TestDatabase named(String name) {
        return NAMED.computeIfAbsent(name, TestDatabases::fresh);
    }

    private static String embedded(String name, String password) {
        Embedded.SERVER.ensureService(name, name, password);
        return Embedded.SERVER.jdbcUrl(name);
    }

    private static String inContainer(String name, String password) {
        PostgreSQLContainer server = Container.SERVER;
        try (var admin = DriverManager.getConnection(server.getJdbcUrl(), server.getUsername(), server.getPassword())) {
            new ServiceDatabases(admin).ensure(name, name, password);
        } catch (SQLException e) {
            throw new IllegalStateException("could not make test database " + name, e);
        }
        return "jdbc:postgresql://" + server.getHost() + ":" + server.getMappedPort(5432) + "/" + name;
    }

    private static final class Embedded {

        static final EmbeddedDatabase SERVER = start();

        private static EmbeddedDatabase start() {
            var server = EmbeddedDatabase.start(new DatabaseSettings(
                    TestMachine.folder().resolve("database"),
                    TestMachine.binaries(),
                    TestMachine.folder().resolve("postgres-password"),
                    0));
            TestMachine.atExit(server::close);
            return server;
        }
    }

    private static final class Container {

        static final PostgreSQLContainer SERVER = start();

        private static PostgreSQLContainer start() {
            var server = new PostgreSQLContainer("postgres:18").withCommand("postgres", "-c", "max_connections=200");
            server.start();
            TestMachine.atExit(server::stop);
            return server;
        }
    }
}

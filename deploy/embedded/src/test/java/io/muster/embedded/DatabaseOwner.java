package io.muster.embedded;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.concurrent.CountDownLatch;

/** A process that owns a database until it is killed; its database holds one row. */
final class DatabaseOwner {

    static final String PASSWORD = "owner-secret";

    private DatabaseOwner() {}

    public static void main(String[] arguments) throws Exception {
        var database = EmbeddedDatabase.start(
                new DatabaseSettings(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]), 0));
        database.ensureService("muster_job", "muster_job", PASSWORD);
        try (var connection = DriverManager.getConnection(database.jdbcUrl("muster_job"), "muster_job", PASSWORD);
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE kept (n int)");
            statement.execute("INSERT INTO kept VALUES (7)");
        }
        System.out.println("READY");
        new CountDownLatch(1).await();
    }

    static Process launch(DatabaseSettings settings) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DatabaseOwner.class.getName(),
                        settings.home().toString(),
                        settings.binaries().toString(),
                        settings.secretsFile().toString())
                .redirectErrorStream(true)
                .start();
        var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals("READY")) {
                return process;
            }
        }
        throw new AssertionError("the owner ended with status " + process.waitFor());
    }
}

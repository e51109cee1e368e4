package io.muster.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * What the superuser does on a PostgreSQL that runs, this module's or another, at every start of the system: a database
 * and a role for each service and the walls between them. What is so already stays so.
 *
 * @param address host:port
 * @param password the superuser's, whose name is {@value #SUPERUSER}
 */
public record DatabaseAdministration(String address, String password) {

    private static final String SUPERUSER = "postgres";

    /**
     * Makes the database, its owner and the walls around them so. An existing role gets the given password, an existing
     * database keeps its content.
     */
    public void ensureService(String database, String role, String rolePassword) {
        try (Connection admin = connect(SUPERUSER)) {
            new ServiceDatabases(admin).ensure(database, role, rolePassword);
        } catch (SQLException e) {
            throw new IllegalStateException("could not prepare database " + database + " for role " + role, e);
        }
        try (Connection inside = connect(database);
                var statement = inside.createStatement()) {
            statement.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        } catch (SQLException e) {
            throw new IllegalStateException("could not close schema public of database " + database, e);
        }
    }

    /** No service may use the server's own databases as a meeting place. */
    public void closeMaintenanceDatabases() {
        try (Connection admin = connect(SUPERUSER);
                var statement = admin.createStatement()) {
            statement.execute("REVOKE CONNECT, TEMPORARY ON DATABASE postgres FROM PUBLIC");
            statement.execute("REVOKE CONNECT ON DATABASE template1 FROM PUBLIC");
        } catch (SQLException e) {
            throw new IllegalStateException("could not close the databases postgres and template1 at " + address, e);
        }
    }

    private Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://" + address + "/" + SqlName.checked(database), SUPERUSER, password);
    }

    @Override
    public String toString() {
        return "DatabaseAdministration[" + address + "]";
    }
}

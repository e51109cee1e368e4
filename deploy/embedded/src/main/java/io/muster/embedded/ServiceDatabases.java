package io.muster.embedded;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.util.PasswordUtil;

/**
 * One database and one role per service. PUBLIC, that is every other role, loses CONNECT, so a service cannot even look
 * at another's database. The password reaches the server only as its scram verifier and thus never its log.
 */
public final class ServiceDatabases {

    private final Connection admin;

    /** @param admin a superuser's connection; the caller closes it */
    public ServiceDatabases(Connection admin) {
        this.admin = admin;
    }

    public void ensure(String database, String role, String password) throws SQLException {
        SqlName.checked(database);
        SqlName.checked(role);
        if (!exists("SELECT 1 FROM pg_roles WHERE rolname = ?", role)) {
            execute("CREATE ROLE " + role + " LOGIN");
        }
        execute("ALTER ROLE " + role + " LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '"
                + PasswordUtil.encodeScramSha256(password.toCharArray()) + "'");
        if (!exists("SELECT 1 FROM pg_database WHERE datname = ?", database)) {
            execute("CREATE DATABASE " + database + " OWNER " + role);
        }
        execute("ALTER DATABASE " + database + " OWNER TO " + role);
        execute("REVOKE CONNECT, TEMPORARY ON DATABASE " + database + " FROM PUBLIC");
    }

    private boolean exists(String query, String name) throws SQLException {
        try (PreparedStatement statement = admin.prepareStatement(query)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = admin.createStatement()) {
            statement.execute(sql);
        }
    }
}

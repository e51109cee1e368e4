package io.muster.local;

import io.muster.embedded.DatabaseAdministration;
import io.muster.embedded.Topics;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes a PostgreSQL and a Kafka that run elsewhere ready for the services, as {@code ./muster up} does with its own:
 * databases, roles and the walls between them, then the topics. Runs before the services at every start and changes
 * nothing that is right; what cannot be done ends it with code 1, so that no service starts on half of it.
 */
final class PrepareServers {

    private static final List<String> KNOWN = List.of("database", "broker", "secrets");

    private PrepareServers() {}

    public static void main(String[] arguments) {
        try {
            System.out.println(run(arguments));
        } catch (IllegalArgumentException wrong) {
            System.err.println("muster prepare: " + wrong.getMessage());
            System.exit(2);
        } catch (IllegalStateException impossible) {
            Throwable cause = impossible.getCause();
            System.err.println(
                    "muster prepare: " + impossible.getMessage() + (cause == null ? "" : ": " + cause.getMessage()));
            System.exit(1);
        }
    }

    /** What was done, for the log. */
    static String run(String... arguments) {
        NamedArguments given = new NamedArguments(KNOWN, arguments);
        String database = given.required("database");
        String broker = given.required("broker");
        Secrets secrets = new Secrets(
                Path.of(given.required("secrets")), JsonMapper.builder().build());
        DatabaseAdministration administration =
                new DatabaseAdministration(database, secrets.read(secrets.superuserFile()));
        administration.closeMaintenanceDatabases();
        for (ServiceName service : ServiceName.values()) {
            administration.ensureService(service.database(), service.database(), secrets.databasePassword(service));
        }
        Topics.create(broker, SystemTopics.all());
        return ServiceName.values().length + " databases at " + database + " and "
                + SystemTopics.all().size() + " topics at " + broker + " are ready";
    }
}

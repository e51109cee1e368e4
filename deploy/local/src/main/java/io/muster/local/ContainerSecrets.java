package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the secrets of a system in containers: the files that {@code ./muster up} makes and the superuser's password,
 * each owned by the user who reads it. What exists stays, so it may run again at any time, as it must after a node was
 * added. The services' user gets everything but two things: the superuser's password is the database's, and the services
 * may read it as its group (the first run needs it); the API keys for people belong to whoever owns the folder.
 * Needs to be root, or the user of all of them.
 */
final class ContainerSecrets {

    private static final List<String> KNOWN = List.of("folder", "nodes", "racks", "services-user", "database-user");
    private static final Set<String> FOR_PEOPLE = Set.of("admin.key", "engineer.key");

    private final Path folder;
    private final int servicesUser;
    private final int databaseUser;

    private ContainerSecrets(Path folder, int servicesUser, int databaseUser) {
        this.folder = folder;
        this.servicesUser = servicesUser;
        this.databaseUser = databaseUser;
    }

    public static void main(String[] arguments) {
        try {
            System.out.println(run(arguments));
        } catch (IllegalArgumentException wrong) {
            System.err.println("muster secrets: " + wrong.getMessage());
            System.exit(2);
        }
    }

    /** What was done, for the person who asked for it. */
    static String run(String... arguments) {
        NamedArguments given = new NamedArguments(KNOWN, arguments);
        Path folder = Path.of(given.required("folder")).toAbsolutePath();
        Layout layout = Layout.of(
                new LocalOptions(folder, given.number("nodes"), given.number("racks"), 0, false, Path.of("unused")));
        int services = given.number("services-user");
        int database = given.number("database-user");
        Secrets secrets = new Secrets(folder, JsonMapper.builder().build());
        secrets.createMissing(layout);
        secrets.createSuperuserPassword();
        new ContainerSecrets(folder, services, database).handOver();
        return "secrets for " + layout.nodes().size() + " nodes are in " + folder
                + "; admin.key and engineer.key are the API keys for people";
    }

    private void handOver() {
        try (Stream<Path> files = Files.list(folder)) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            int owner = (int) Files.getAttribute(folder, "unix:uid");
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.equals("postgres.password")) {
                    give(file, databaseUser, servicesUser, "rw-r-----");
                } else {
                    give(file, FOR_PEOPLE.contains(name) ? owner : servicesUser, servicesUser, "rw-------");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot hand over the secrets in " + folder, e);
        }
    }

    private static void give(Path file, int user, int group, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        Files.setAttribute(file, "unix:gid", group);
        Files.setAttribute(file, "unix:uid", user);
    }
}

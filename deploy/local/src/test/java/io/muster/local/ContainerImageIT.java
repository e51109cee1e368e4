package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.embedded.BrokerSettings;
import io.muster.embedded.DatabaseSettings;
import io.muster.embedded.EmbeddedBroker;
import io.muster.embedded.EmbeddedDatabase;
import io.muster.embedded.TopicSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes into the images after packaging runs: all that can be known of them without a container engine. */
class ContainerImageIT {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TempDir
    private static Path folder;

    private static ContainerImages images;
    private static ComposeFile compose;

    @BeforeAll
    static void build() throws Exception {
        images = ContainerImages.build(folder.resolve("image"));
        compose = ComposeFile.read();
    }

    @Test
    void everyCommandIsAMainClassOfTheServicesImage() throws Exception {
        List<URL> jars = new ArrayList<>();
        for (Path jar : images.classPath("services")) {
            jars.add(jar.toUri().toURL());
        }
        try (URLClassLoader image =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            int found = 0;
            for (String service : compose.services().keySet()) {
                if (compose.service(service).get("image").toString().startsWith("muster/services")) {
                    Class<?> main = Class.forName(compose.command(service).getFirst(), false, image);
                    assertThat(main.getMethod("main", String[].class)).isNotNull();
                    found++;
                }
            }
            assertThat(found).isEqualTo(ServiceName.values().length + 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"services,ch.qos.logback.classic.spi.LogbackServiceProvider", "agent,org.slf4j.jul.JULServiceProvider"})
    void anImageHasOneProviderOfLogging(String image, String provider) throws Exception {
        List<URL> jars = new ArrayList<>();
        for (Path jar : images.classPath(image)) {
            jars.add(jar.toUri().toURL());
        }
        try (URLClassLoader loader = new URLClassLoader(jars.toArray(URL[]::new), null)) {
            List<URL> files =
                    Collections.list(loader.findResources("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"));
            assertThat(files).hasSize(1);
            try (var in = files.getFirst().openStream()) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .contains(provider);
            }
        }
    }

    @Test
    void theAgentHasTheJarsAndFlagsThatItHasHere() throws Exception {
        List<String> jars;
        try (Stream<Path> files = Files.list(Path.of("target/lib"))) {
            jars = files.map(Path::toString).sorted().toList();
        }
        List<String> here = new JavaCommand(Path.of("java"), jars).agentCommand(64, "io.muster.agent.NodeAgent");
        int classPath = here.indexOf("-cp");
        assertThat(images.classPath("agent").stream().map(Path::getFileName).map(Path::toString))
                .containsExactlyElementsOf(Stream.of(here.get(classPath + 1).split(":"))
                        .map(jar -> Path.of(jar).getFileName().toString())
                        .toList());
        List<String> there = images.entryPoint("agent");
        assertThat(there.subList(1, there.size() - 2)).containsExactlyInAnyOrderElementsOf(here.subList(1, classPath));
        assertThat(there.getLast()).isEqualTo(here.getLast());
    }

    @Test
    void theAgentStartsAndSaysWhatItLacks() throws Exception {
        Ended agent = ended(images.entryPoint("agent"), Map.of());
        assertThat(agent.code()).isEqualTo(2);
        assertThat(agent.output()).contains("MUSTER_NODE is not set", "MUSTER_STORE_ROOT is not set");
    }

    @Test
    void theAgentsImageHasTheClientAndTheExample() {
        String client = compose.environment("r1-n1").get("MUSTER_CLIENT_PYTHONPATH");
        assertThat(images.file(client + "/muster/__init__.py")).isRegularFile();
        assertThat(images.file("/opt/muster/examples/ngram/train.py")).isRegularFile();
        assertThat(images.file("/opt/muster/healthy")).isExecutable();
    }

    /** Secrets, servers, then one service after the other, each by the image's entry point with what the Compose file says. */
    @Test
    void theFirstRunPreparesRealServersAndEveryServiceIsWellOnThem() throws Exception {
        Path secrets = Files.createDirectory(folder.resolve("secrets"));
        int self = (int) Files.getAttribute(secrets, "unix:uid");
        run("secrets", word -> word.replace("=/secrets", "=" + secrets).replaceFirst("-user=\\d+", "-user=" + self));
        EmbeddedDatabase database = EmbeddedDatabase.start(new DatabaseSettings(
                folder.resolve("postgresql"),
                folder.resolve("postgresql-binaries"),
                secrets.resolve("postgres.password"),
                0));
        try (database;
                EmbeddedBroker broker = EmbeddedBroker.start(new BrokerSettings(folder.resolve("kafka"), 0, 0))) {
            for (int time = 1; time <= 2; time++) {
                assertThat(run("prepare", word -> here(word, secrets, database, broker)))
                        .contains("6 databases", "6 topics");
            }
            assertWalls(database, secrets);
            assertTopics(broker);
            for (ServiceName service : ServiceName.values()) {
                assertIsWell(service.label(), secrets, database, broker);
            }
        }
    }

    private static void assertWalls(EmbeddedDatabase database, Path secrets) throws Exception {
        String password =
                Files.readString(secrets.resolve("database-job.password")).strip();
        DriverManager.getConnection(database.jdbcUrl("muster_job"), "muster_job", password)
                .close();
        for (String closed : List.of("muster_quota", "muster_gateway", "postgres")) {
            assertThatThrownBy(() -> DriverManager.getConnection(database.jdbcUrl(closed), "muster_job", password))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("permission denied");
        }
    }

    private static void assertTopics(EmbeddedBroker broker) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Set<String> names = admin.listTopics().names().get();
            assertThat(names)
                    .containsAll(
                            SystemTopics.all().stream().map(TopicSpec::name).toList());
        }
    }

    private static void assertIsWell(String name, Path secrets, EmbeddedDatabase database, EmbeddedBroker broker)
            throws Exception {
        Path settings = Files.createDirectory(folder.resolve("settings-" + name));
        Files.copy(secrets.resolve("database-" + name + ".password"), settings.resolve("spring.datasource.password"));
        Map<String, String> environment = new TreeMap<>();
        compose.environment(name)
                .forEach((variable, value) -> environment.put(
                        variable,
                        here(value, secrets, database, broker)
                                .replace("/run/settings", settings.toString())
                                .replace("/var/lib/muster", folder.toString())));
        environment.replaceAll((variable, value) -> variable.endsWith("SERVER_ADDRESS") ? "127.0.0.1" : value);
        environment.replaceAll((variable, value) -> variable.endsWith("SERVER_PORT") ? freePort() : value);
        String port = environment.getOrDefault("MANAGEMENT_SERVER_PORT", environment.get("SERVER_PORT"));
        List<String> command = images.entryPoint("services");
        command.addAll(compose.command(name));
        Path log = folder.resolve(name + ".log");
        Process service =
                process(command, environment).redirectOutput(log.toFile()).start();
        try {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!isWell(port)) {
                assertThat(service.isAlive() && System.nanoTime() < deadline)
                        .as(() -> name + " in its image: " + text(log))
                        .isTrue();
                Thread.sleep(500);
            }
        } finally {
            service.destroy();
        }
        assertThat(service.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .as("%s stops when it is asked to", name)
                .isTrue();
    }

    private static boolean isWell(String port) throws Exception {
        return ended(
                                List.of(
                                        "bash",
                                        images.file("/opt/muster/healthy").toString(),
                                        "http",
                                        port,
                                        "/actuator/health"),
                                Map.of())
                        .code()
                == 0;
    }

    private static String here(String text, Path secrets, EmbeddedDatabase database, EmbeddedBroker broker) {
        return text.replace("/run/secrets", secrets.toString())
                .replace("database:15432", "127.0.0.1:" + database.port())
                .replace("broker:19092", broker.bootstrapServers());
    }

    private record Ended(int code, String output) {}

    /** One step of the first run, by the image's entry point; it must end well. */
    private static String run(String service, UnaryOperator<String> adapted) throws Exception {
        List<String> command = images.entryPoint("services");
        compose.command(service).stream().map(adapted).forEach(command::add);
        Ended ended = ended(command, compose.environment(service));
        assertThat(ended.code()).as(ended.output()).isZero();
        return ended.output();
    }

    private static Ended ended(List<String> command, Map<String, String> environment) throws Exception {
        Process process = process(command, environment).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static ProcessBuilder process(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", System.getenv("PATH"));
        builder.environment().putAll(environment);
        return builder;
    }

    private static String freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return Integer.toString(socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}

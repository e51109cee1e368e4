package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.settings.SettingsReader;
import io.muster.embedded.EmbeddedBroker;
import io.muster.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.DefaultResourceLoader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every part gets in its container what {@code ./muster} gives it here: the same settings, no more and no fewer, with
 * the same values but for names of hosts and folders. Who adds a setting in one place only is told by name.
 */
class ComposeSettingsTest {

    private static final String PASSWORD = "spring.datasource.password";

    /** Said in containers only: where Spring finds the files with passwords. */
    private static final String IMPORT = "SPRING_CONFIG_IMPORT";

    @TempDir
    private static Path home;

    private static ComposeFile compose;
    private static Layout layout;
    private static Secrets secrets;

    /** Once, because making the keys takes a second or more. */
    @BeforeAll
    static void aLocalSystemOfTheSameSize() throws IOException {
        compose = ComposeFile.read();
        NamedArguments given = new NamedArguments(
                List.of("folder", "nodes", "racks", "services-user", "database-user"),
                compose.command("secrets").stream().skip(1).toArray(String[]::new));
        layout = Layout.of(
                new LocalOptions(home, given.number("nodes"), given.number("racks"), 0, false, Path.of("/client")));
        secrets = new Secrets(layout.secrets(), JsonMapper.builder().build());
        secrets.createMissing(layout);
    }

    @ParameterizedTest
    @EnumSource
    void aServiceHasTheSettingsOfTheLocalSystemAndNoOthers(ServiceName service) {
        Set<String> expected = new TreeSet<>(Set.of(IMPORT));
        new Settings(layout, secrets)
                .of(service).keySet().stream()
                        .filter(key -> !key.equals(PASSWORD))
                        .map(ComposeSettingsTest::variable)
                        .forEach(expected::add);
        assertThat(compose.environment(service.label()).keySet()).isEqualTo(expected);
    }

    /** As Spring itself reads them from the environment, the service's own file and the passwords' folder. */
    @ParameterizedTest
    @EnumSource
    void theServiceReadsTheSameValues(ServiceName service) throws IOException {
        Map<String, String> expected = new TreeMap<>();
        new Settings(layout, secrets).of(service).forEach((key, value) -> expected.put(key, inContainer(key, value)));
        Map<String, String> read = new TreeMap<>();
        Binder binder = Binder.get(asStarted(service));
        expected.keySet()
                .forEach(key ->
                        read.put(key, binder.bind(key, String.class).orElse("(not read by Spring under this name)")));
        assertThat(read).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void theHealthCheckAsksWhereTheServiceAnswers(ServiceName service) throws IOException {
        ConfigurableEnvironment started = asStarted(service);
        String port = started.getProperty("management.server.port", started.getProperty("server.port", ""));
        String path = started.getProperty("management.endpoints.web.base-path", "/actuator") + "/health";
        assertThat(started.getProperty("management.endpoints.web.exposure.include", ""))
                .contains("health");
        assertThat(healthCheck(service.label())).containsExactly("CMD", "/opt/muster/healthy", "http", port, path);
    }

    @ParameterizedTest
    @EnumSource
    void theServiceIsStartedByItsMainClass(ServiceName service) {
        assertThat(compose.command(service.label()))
                .containsExactly(service.mainClass().getName());
    }

    @Test
    void theNodesAreThoseOfALocalSystemOfThatSize() {
        assertThat(compose.nodes())
                .containsExactlyInAnyOrderElementsOf(
                        layout.nodes().stream().map(Layout.LocalNode::name).toList());
    }

    @Test
    void anAgentHasTheSettingsOfTheLocalSystemAndNoOthers() {
        Agents agents = new Agents(
                layout,
                secrets,
                JavaCommand.ofThisJvm(),
                Path.of("/opt/muster/client"),
                new SystemFile(
                        new LocalOptions(home, 4, 2, 0, false, Path.of("/client")),
                        layout,
                        JsonMapper.builder().build(),
                        Instant.EPOCH));
        for (Layout.LocalNode node : layout.nodes()) {
            Map<String, String> expected = new TreeMap<>();
            agents.environment(node).forEach((name, value) -> expected.put(name, inContainer(name, value)));
            // a container has a name of its own and its folder to itself
            expected.put("MUSTER_AGENT_ADDRESS", node.name());
            expected.put("MUSTER_AGENT_HOME", "/var/lib/muster/node");
            assertThat(compose.environment(node.name())).isEqualTo(expected);
            assertThat(SettingsReader.read(compose.environment(node.name())))
                    .isInstanceOf(SettingsReader.Reading.Usable.class);
            assertThat(healthCheck(node.name()))
                    .containsExactly(
                            "CMD", "/opt/muster/healthy", "agent", node.name(), expected.get("MUSTER_AGENT_PORT"));
        }
    }

    @Test
    void theBrokerHasTheSettingsOfTheEmbeddedOne() {
        Map<String, String> expected = new TreeMap<>();
        EmbeddedBroker.SETTINGS.forEach((key, value) -> expected.put("KAFKA_" + variable(key), value));
        expected.put(
                "KAFKA_LISTENERS", "PLAINTEXT://:" + layout.brokerPort() + ",CONTROLLER://:" + layout.controllerPort());
        expected.put("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://broker:" + layout.brokerPort());
        expected.put("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@broker:" + layout.controllerPort());
        expected.put("KAFKA_LOG_DIRS", "/var/lib/kafka/data");
        Map<String, String> given = compose.environment("broker");
        assertThat(given.remove("CLUSTER_ID"))
                .as("16 bytes, as Kafka wants them")
                .matches("[A-Za-z0-9_-]{22}");
        assertThat(given.remove("KAFKA_HEAP_OPTS")).isNotBlank();
        assertThat(given).isEqualTo(expected);
        assertThat(healthCheck("broker").getLast()).endsWith("/127.0.0.1/" + layout.brokerPort());
    }

    @Test
    void theDatabaseServerHasTheSettingsOfTheEmbeddedOne() {
        Map<String, String> given = new TreeMap<>();
        List<String> words = compose.command("database");
        assertThat(words.getFirst()).isEqualTo("postgres");
        for (int i = 1; i < words.size(); i += 2) {
            assertThat(words.get(i)).isEqualTo("-c");
            String[] setting = words.get(i + 1).split("=", 2);
            given.put(setting[0], setting[1]);
        }
        assertThat(given).isEqualTo(EmbeddedDatabase.SERVER_SETTINGS);
        assertThat(compose.environment("database"))
                .containsEntry("PGPORT", Integer.toString(layout.databasePort()))
                .containsEntry("POSTGRES_INITDB_ARGS", "--auth=scram-sha-256")
                .containsEntry("POSTGRES_PASSWORD_FILE", "/run/secrets/postgres.password")
                .hasSize(3);
        assertThat(healthCheck("database")).contains("--port=" + layout.databasePort());
    }

    /** Databases, roles and topics are made by the code that makes them here; it needs to be told where. */
    @Test
    void theFirstRunGetsTheServersAndEveryPassword() {
        assertThat(compose.command("prepare"))
                .containsExactly(
                        PrepareServers.class.getName(),
                        "--database=database:" + layout.databasePort(),
                        "--broker=broker:" + layout.brokerPort(),
                        "--secrets=/run/secrets");
        List<ComposeFile.Mounted> expected = new ArrayList<>();
        expected.add(new ComposeFile.Mounted("postgres.password", "/run/secrets/postgres.password"));
        for (ServiceName service : ServiceName.values()) {
            String name = "database-" + service.label() + ".password";
            expected.add(new ComposeFile.Mounted(name, "/run/secrets/" + name));
        }
        assertThat(compose.secrets("prepare")).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(compose.command("secrets").getFirst()).isEqualTo(ContainerSecrets.class.getName());
    }

    /** As Spring Boot reads relaxed names from the environment: dots become underscores, hyphens go. */
    private static String variable(String key) {
        return key.replace(".", "_").replace("-", "").toUpperCase(Locale.ROOT);
    }

    private String inContainer(String key, String value) {
        String there = value.replace(layout.secrets().toString(), "/run/secrets")
                .replace(layout.store().toString(), "/var/lib/muster/store")
                .replace("127.0.0.1:" + layout.databasePort(), "database:" + layout.databasePort())
                .replace("127.0.0.1:" + layout.brokerPort(), "broker:" + layout.brokerPort())
                .replaceFirst("^local-", "compose-");
        for (ServiceName service : ServiceName.values()) {
            there = there.replace(layout.url(service), "http://" + service.label() + ":" + layout.port(service));
        }
        return key.endsWith("server.address") ? there.replace("127.0.0.1", "0.0.0.0") : there;
    }

    /** The environment of the service when its container starts, with the passwords' folder of this test. */
    private ConfigurableEnvironment asStarted(ServiceName service) throws IOException {
        Map<String, String> variables = compose.environment(service.label());
        Path settings = home.resolve("run-settings-" + service.label());
        Files.createDirectories(settings);
        for (ComposeFile.Mounted mounted : compose.secrets(service.label())) {
            Path file = Path.of(mounted.file());
            if (file.startsWith("/run/settings")) {
                Files.copy(
                        secrets.key(mounted.secret()),
                        settings.resolve(file.getFileName()),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
        variables.computeIfPresent(IMPORT, (name, value) -> value.replace("/run/settings/", settings + "/"));
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                new TreeMap<String, Object>(variables)));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "application",
                        Map.of(
                                "spring.config.name",
                                service == ServiceName.GATEWAY ? "gateway" : service.label() + "-service")));
        ConfigDataEnvironmentPostProcessor.applyTo(
                environment, new DefaultResourceLoader(), new DefaultBootstrapContext());
        return environment;
    }

    private List<String> healthCheck(String service) {
        return ComposeFile.list(
                ComposeFile.map(compose.service(service).get("healthcheck")).get("test"));
    }
}

package io.muster.embedded;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {

    private static final List<TopicSpec> TOPICS = List.of(
            new TopicSpec("muster.jobs.v1", 3, true, null),
            new TopicSpec("muster.placements.v1", 2, false, Duration.ofDays(30)));

    @TempDir
    Path folder;

    @Test
    void topicsAndCommittedTransactionsOutliveARestart() throws Exception {
        int port;
        int controllerPort;
        try (var broker = EmbeddedBroker.start(new BrokerSettings(folder, 0, 0))) {
            port = broker.port();
            controllerPort = broker.controllerPort();
            broker.createTopics(TOPICS);
            broker.createTopics(TOPICS);
            send(broker.bootstrapServers(), "kept", true);
            send(broker.bootstrapServers(), "aborted", false);
            assertThat(setting(broker, "muster.jobs.v1", "cleanup.policy")).isEqualTo("compact");
            assertThat(setting(broker, "muster.placements.v1", "retention.ms")).isEqualTo("2592000000");
            assertThatThrownBy(() -> EmbeddedBroker.start(new BrokerSettings(folder, 0, 0)))
                    .hasMessageContaining("already belongs to a running process");
            assertThatThrownBy(() -> EmbeddedBroker.start(new BrokerSettings(folder.resolve("other"), port(broker), 0)))
                    .hasMessageContaining("is taken, Kafka cannot start");
        }
        try (var broker = EmbeddedBroker.start(new BrokerSettings(folder, port, controllerPort))) {
            broker.createTopics(TOPICS);
            assertThat(committed(broker.bootstrapServers())).containsExactly("kept");
        }
    }

    @Test
    void runsAsAProcessAndSurvivesKillMinusNine() throws Exception {
        var ports = Ports.free(2);
        Process process = start(ports);
        try {
            Topics.create("127.0.0.1:" + ports.getFirst(), TOPICS);
            send("127.0.0.1:" + ports.getFirst(), "kept", true);
            process.destroyForcibly().waitFor();
            process = start(ports);
            assertThat(committed("127.0.0.1:" + ports.getFirst())).containsExactly("kept");
            process.destroy();
            assertThat(process.waitFor()).isEqualTo(143);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void wrongArgumentsAreNamed() {
        assertThatThrownBy(() -> BrokerProcess.parse(new String[] {"--prot", "1"}))
                .hasMessageContaining("--prot");
        assertThatThrownBy(() -> BrokerProcess.parse(new String[] {"--port", "x", "--data", "d"}))
                .hasMessageContaining("--port must be a number");
        assertThatThrownBy(() -> BrokerProcess.parse(new String[] {"--port", "1"}))
                .hasMessageContaining("--data DIR is missing");
        assertThat(BrokerProcess.parse(new String[] {"--data", "d", "--port", "5"}))
                .isEqualTo(new BrokerSettings(Path.of("d"), 5, 0));
    }

    private Process start(List<Integer> ports) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BrokerProcess.class.getName(),
                        "--port",
                        ports.get(0).toString(),
                        "--controller-port",
                        ports.get(1).toString(),
                        "--data",
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        List<String> seen = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            seen.add(line);
            if (line.startsWith("READY")) {
                return process;
            }
        }
        throw new AssertionError("the broker process ended: " + seen);
    }

    private static int port(EmbeddedBroker broker) {
        return broker.port();
    }

    private static void send(String bootstrap, String value, boolean commit) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "transactional.id", "test", "max.block.ms", "30000");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            var sent = producer.send(new ProducerRecord<>("muster.jobs.v1", "key", value));
            producer.flush();
            assertThat(sent).isDone();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private static List<String> committed(String bootstrap) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrap,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest",
                "group.id",
                "test-" + System.nanoTime());
        List<String> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("muster.jobs.v1"));
            long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (values.isEmpty() && System.nanoTime() < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
            }
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(300))) {
                values.add(record.value());
            }
        }
        return values;
    }

    private static String setting(EmbeddedBroker broker, String topic, String name) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            var described = admin.describeConfigs(List.of(resource)).values();
            return requireNonNull(described.get(resource)).get().get(name).value();
        }
    }
}

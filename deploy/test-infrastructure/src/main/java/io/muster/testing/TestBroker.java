package io.muster.testing;

import io.muster.embedded.BrokerSettings;
import io.muster.embedded.EmbeddedBroker;
import io.muster.embedded.TopicSpec;
import io.muster.embedded.Topics;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.testcontainers.kafka.KafkaContainer;

/**
 * The one Kafka broker of this test JVM, started by the first use. {@link #stop} and {@link #start} take it away and
 * bring it back on the same address with its data, for tests of a broker that is away; topics last as long as the JVM,
 * so tests use keys of their own.
 */
public final class TestBroker {

    private static @Nullable Server server;

    private TestBroker() {}

    public static synchronized String bootstrapServers() {
        return running().bootstrapServers();
    }

    /** Makes topics of three partitions, compacted; those that exist are left alone. */
    public static void topics(String... names) {
        topics(Arrays.stream(names)
                .map(name -> new TopicSpec(name, 3, true, null))
                .toList());
    }

    public static void topics(List<TopicSpec> topics) {
        Topics.create(bootstrapServers(), topics);
    }

    public static synchronized void stop() {
        running().stop();
    }

    public static synchronized void start() {
        running().start();
    }

    private static Server running() {
        Server current = server;
        if (current == null) {
            current = TestMachine.DOCKER ? new InContainer() : new Embedded();
            server = current;
            TestMachine.atExit(current::stop);
        }
        return current;
    }

    private sealed interface Server {

        String bootstrapServers();

        void stop();

        void start();
    }

    private static final class Embedded implements Server {

        private final String address;
        private final BrokerSettings settings;
        private @Nullable EmbeddedBroker broker;

        Embedded() {
            var home = TestMachine.folder().resolve("broker");
            var first = EmbeddedBroker.start(new BrokerSettings(home, 0, 0));
            settings = new BrokerSettings(home, first.port(), first.controllerPort());
            address = first.bootstrapServers();
            broker = first;
        }

        @Override
        public String bootstrapServers() {
            return address;
        }

        @Override
        public void stop() {
            if (broker != null) {
                broker.close();
                broker = null;
            }
        }

        @Override
        public void start() {
            if (broker == null) {
                broker = EmbeddedBroker.start(settings);
            }
        }
    }

    /** A container's port changes when it is started again, so it is paused instead. */
    private static final class InContainer implements Server {

        private final KafkaContainer container = new KafkaContainer("apache/kafka:4.2.1")
                .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
                .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0");
        private boolean paused;

        InContainer() {
            container.start();
        }

        @Override
        public String bootstrapServers() {
            return container.getBootstrapServers();
        }

        @Override
        public void stop() {
            if (!paused) {
                container
                        .getDockerClient()
                        .pauseContainerCmd(container.getContainerId())
                        .exec();
                paused = true;
            }
        }

        @Override
        public void start() {
            if (paused) {
                container
                        .getDockerClient()
                        .unpauseContainerCmd(container.getContainerId())
                        .exec();
                paused = false;
            }
        }
    }
}

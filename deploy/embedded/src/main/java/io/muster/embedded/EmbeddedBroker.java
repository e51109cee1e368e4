package io.muster.embedded;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * One Kafka broker with its own controller (KRaft) on 127.0.0.1, its data kept in a folder.
 *
 * <p>Topics are made by {@link #createTopics} only; a client that names another one is told so. One broker means one
 * replica everywhere, the transaction and offset topics included. After a kill -9 the next start waits until the old
 * registration has run out, which the short session of 2 s keeps near 4 s.
 */
public final class EmbeddedBroker implements AutoCloseable {

    private static final int NODE_ID = 1;

    /** What every deployment of the one broker says, wherever it runs; addresses and folders come on top. */
    public static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("process.roles", "broker,controller"),
            Map.entry("node.id", Integer.toString(NODE_ID)),
            Map.entry("controller.listener.names", "CONTROLLER"),
            Map.entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("offsets.topic.num.partitions", "3"),
            Map.entry("transaction.state.log.replication.factor", "1"),
            Map.entry("transaction.state.log.num.partitions", "3"),
            Map.entry("transaction.state.log.min.isr", "1"),
            Map.entry("share.coordinator.state.topic.replication.factor", "1"),
            Map.entry("share.coordinator.state.topic.num.partitions", "3"),
            Map.entry("share.coordinator.state.topic.min.isr", "1"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            Map.entry("auto.create.topics.enable", "false"),
            Map.entry("log.cleaner.dedupe.buffer.size", "2097152"),
            Map.entry("broker.session.timeout.ms", "2000"),
            Map.entry("broker.heartbeat.interval.ms", "500"),
            Map.entry("controlled.shutdown.enable", "true"));

    private static final String CLUSTER_ID = "bXVzdGVyLWxvY2FsLS0tLQ";

    private final KafkaRaftServer server;
    private final HomeLock lock;
    private final int port;
    private final int controllerPort;

    private EmbeddedBroker(KafkaRaftServer server, HomeLock lock, int port, int controllerPort) {
        this.server = server;
        this.lock = lock;
        this.port = port;
        this.controllerPort = controllerPort;
    }

    public static EmbeddedBroker start(BrokerSettings settings) {
        HomeLock lock = HomeLock.take(settings.home(), "Kafka");
        try {
            List<Integer> free = Ports.free(2);
            int port = settings.port() == 0 ? free.get(0) : settings.port();
            int controllerPort = settings.controllerPort() == 0 ? free.get(1) : settings.controllerPort();
            Ports.requireFree("Kafka", port);
            Ports.requireFree("the Kafka controller", controllerPort);
            Path data = settings.home().toAbsolutePath().resolve("data");
            format(data);
            var server = onOwnThread(data, port, controllerPort);
            return new EmbeddedBroker(server, lock, port, controllerPort);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Safe on a folder that is formatted already. */
    private static void format(Path data) {
        try {
            new Formatter()
                    .setClusterId(CLUSTER_ID)
                    .setNodeId(NODE_ID)
                    .addDirectory(data.toString())
                    .setMetadataLogDirectory(data.toString())
                    .setControllerListenerName("CONTROLLER")
                    .setReleaseVersion(MetadataVersion.latestProduction())
                    .setUnstableFeatureVersionsEnabled(false)
                    .setIgnoreFormatted(true)
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8))
                    .run();
        } catch (Exception e) {
            throw new IllegalStateException("cannot prepare the Kafka folder " + data, e);
        }
    }

    /** Kafka finds its plug-ins by the thread's class loader, which a caller's pool thread may lack. */
    private static KafkaRaftServer onOwnThread(Path data, int port, int controllerPort) {
        var start = new FutureTask<>(() -> {
            var server = new KafkaRaftServer(new KafkaConfig(configuration(data, port, controllerPort)), Time.SYSTEM);
            server.startup();
            return server;
        });
        var thread = new Thread(start, "embedded-kafka-start");
        thread.setContextClassLoader(EmbeddedBroker.class.getClassLoader());
        thread.start();
        try {
            return start.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Kafka did not start on port " + port + " with data in " + data, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Kafka was starting", e);
        }
    }

    private static Map<String, String> configuration(Path data, int port, int controllerPort) {
        String clients = "PLAINTEXT://" + Ports.LOOPBACK + ":" + port;
        var settings = new TreeMap<String, String>(SETTINGS);
        settings.put("controller.quorum.voters", NODE_ID + "@" + Ports.LOOPBACK + ":" + controllerPort);
        settings.put("listeners", clients + ",CONTROLLER://" + Ports.LOOPBACK + ":" + controllerPort);
        settings.put("advertised.listeners", clients);
        settings.put("log.dirs", data.toString());
        return settings;
    }

    public String bootstrapServers() {
        return Ports.LOOPBACK + ":" + port;
    }

    public int port() {
        return port;
    }

    public int controllerPort() {
        return controllerPort;
    }

    /** Makes the missing ones; an existing topic stays as it is, because its partitions fix the order of its keys. */
    public void createTopics(List<TopicSpec> topics) {
        Topics.create(bootstrapServers(), topics);
    }

    @Override
    public void close() {
        try {
            server.shutdown();
            server.awaitShutdown();
        } finally {
            lock.close();
        }
    }
}

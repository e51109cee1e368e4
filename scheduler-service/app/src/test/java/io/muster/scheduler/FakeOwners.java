package io.muster.scheduler;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.id.JobId;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.contract.quota.QuotaTree;
import io.muster.embedded.TopicSpec;
import io.muster.testing.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stands for job-, health- and quota-service: publishes their events as they would arrive, doubled and late too, and
 * reads what scheduler-service publishes. Each one begins with empty topics.
 */
final class FakeOwners implements AutoCloseable {

    private static final int PARTITIONS = 3;
    private static final List<String> ALL_TOPICS = List.of(Topics.JOBS, Topics.NODES, Topics.QUOTAS, Topics.PLACEMENTS);

    /** An event of muster.placements.v1. */
    record Heard(String type, long sequence, PlacementState state) {}

    private final JsonMapper json = JsonMapper.builder().build();
    private final KafkaProducer<String, String> producer;
    private final KafkaConsumer<String, String> consumer;
    private final Map<String, Long> sequences = new HashMap<>();
    private final List<Heard> heard = new ArrayList<>();

    FakeOwners() {
        emptyTopics();
        producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, TestBroker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer());
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        TestBroker.bootstrapServers(),
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"),
                new StringDeserializer(),
                new StringDeserializer());
        List<TopicPartition> partitions = partitions(Topics.PLACEMENTS).toList();
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position);
    }

    private static void emptyTopics() {
        TestBroker.topics(ALL_TOPICS.stream()
                .map(topic -> new TopicSpec(topic, PARTITIONS, false, null))
                .toList());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", TestBroker.bootstrapServers()))) {
            Map<TopicPartition, RecordsToDelete> everything = new HashMap<>();
            ALL_TOPICS.stream()
                    .flatMap(FakeOwners::partitions)
                    .forEach(partition -> everything.put(partition, RecordsToDelete.beforeOffset(-1)));
            admin.deleteRecords(everything).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("could not empty the topics", e);
        }
    }

    private static Stream<TopicPartition> partitions(String topic) {
        return IntStream.range(0, PARTITIONS).mapToObj(number -> new TopicPartition(topic, number));
    }

    void publish(JobState... jobs) {
        for (JobState job : jobs) {
            publishAs(nextSequence(job.jobId().value()), job);
        }
    }

    void publishAs(long sequence, JobState job) {
        send(Topics.JOBS, job.jobId().value(), EventType.JOB_CHANGED, sequence, job);
    }

    void publish(NodeState... nodes) {
        for (NodeState node : nodes) {
            publishAs(nextSequence("node " + node.node()), node);
        }
    }

    void publish(List<NodeState> nodes) {
        publish(nodes.toArray(NodeState[]::new));
    }

    void publishAs(long sequence, NodeState node) {
        send(Topics.NODES, node.node().value(), EventType.NODE_CHANGED, sequence, node);
    }

    void publish(QuotaTree tree) {
        send(Topics.QUOTAS, QuotaTree.KEY, EventType.QUOTA_TREE_CHANGED, tree.version(), tree);
    }

    private long nextSequence(String key) {
        return sequences.merge(key, 1L, Long::sum);
    }

    private void send(String topic, String key, EventType type, long sequence, Object data) {
        var event = json.createObjectNode()
                .put("specversion", "1.0")
                .put("id", UUID.randomUUID().toString())
                .put("source", "/muster/fake-owner")
                .put("type", type.type())
                .put("subject", key)
                .put("time", Given.NOON.toString())
                .put("datacontenttype", "application/json")
                .put("partitionkey", key)
                .put("sequence", Long.toString(sequence));
        event.set("data", json.valueToTree(data));
        producer.send(new ProducerRecord<>(topic, key, json.writeValueAsString(event)));
        producer.flush();
    }

    /** Everything heard on the placements topic since this was made. */
    List<Heard> placements() {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(50))) {
            var event = json.readTree(record.value());
            heard.add(new Heard(
                    event.get("type").stringValue(),
                    Long.parseLong(event.get("sequence").stringValue()),
                    json.treeToValue(event.get("data"), PlacementState.class)));
        }
        return List.copyOf(heard);
    }

    List<Heard> placements(JobId job) {
        return placements().stream()
                .filter(heard -> heard.state().jobId().equals(job))
                .toList();
    }

    @Override
    public void close() {
        producer.close();
        consumer.close();
    }
}

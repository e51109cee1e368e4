package io.muster.health;

import io.muster.contract.Topics;
import io.muster.contract.node.NodeState;
import io.muster.testing.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import tools.jackson.databind.JsonNode;

/** What has been published of one node, in order. */
public final class NodeEvents {

    /** One event. */
    public record Told(String type, long sequence, NodeState state) {}

    private NodeEvents() {}

    public static List<Told> of(String node) {
        return read(Topics.NODES, node).stream()
                .map(event -> new Told(
                        event.get("type").asString(),
                        Long.parseLong(event.get("sequence").asString()),
                        RunningService.JSON.treeToValue(event.get("data"), NodeState.class)))
                .toList();
    }

    /** The events of a key, in order. */
    public static List<JsonNode> read(String topic, String key) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", TestBroker.bootstrapServers(), "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            var partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new org.apache.kafka.common.TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            List<JsonNode> told = new ArrayList<>();
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    if (record.key().equals(key)) {
                        told.add(RunningService.JSON.readTree(record.value()));
                    }
                });
            }
            return told;
        }
    }
}

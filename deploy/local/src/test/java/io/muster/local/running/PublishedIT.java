package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.local.observability.MetricCatalogue;
import io.muster.local.observability.Scrape;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What a running system shows to others is what is written about it: its metrics, and every event at the broker. */
class PublishedIT {

    private static final Map<String, Integer> PORTS = Map.of(
            "job-service", 8081,
            "quota-service", 8082,
            "scheduler-service", 8083,
            "health-service", 8084,
            "checkpoint-service", 8085,
            "gateway", 8090);

    private final RunningSystem system = RunningSystem.get();

    private void aJobHasRun() {
        String id = system.submit(Map.of(
                "name", "published",
                "runtime", Map.of("command", List.of("/bin/sh", "-c", "exit 0")),
                "resources", Map.of("nodes", 2, "gpusPerNode", 8)));
        assertThat(RunningSystem.state(system.awaitEnd(id))).isEqualTo("SUCCEEDED");
    }

    @Test
    void everyServiceShowsTheMetricsOfTheCatalogueAndNoOther() {
        aJobHasRun();
        MetricCatalogue catalogue = MetricCatalogue.read();
        List<String> problems = List.of();
        // gauges are read every few seconds
        for (int i = 0; i < 100; i++) {
            problems = problems(catalogue);
            if (problems.isEmpty()) {
                break;
            }
            RunningSystem.pause();
        }
        assertThat(problems).isEmpty();
    }

    private List<String> problems(MetricCatalogue catalogue) {
        List<String> problems = new ArrayList<>();
        PORTS.forEach((service, port) -> {
            String url = "http://127.0.0.1:" + (port + system.portOffset()) + "/actuator/prometheus";
            String text = system.send(url, "GET", Map.of("Accept", "text/plain"), null)
                    .text();
            problems.addAll(Scrape.problems(catalogue, service, text));
        });
        return problems;
    }

    @Test
    void everyRecordAtTheBrokerIsAsTheAsyncApiFileSays() throws Exception {
        aJobHasRun();
        EventsFile events = EventsFile.read();
        Set<String> seen = new TreeSet<>();
        List<String> problems = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records(broker(), events.topics())) {
            seen.add(new String(record.headers().lastHeader("ce_type").value(), StandardCharsets.UTF_8));
            problems.addAll(events.problems(record));
        }
        assertThat(problems).isEmpty();
        assertThat(seen)
                .contains(
                        EventType.JOB_SUBMITTED.type(),
                        EventType.JOB_CHANGED.type(),
                        EventType.JOB_ENDED.type(),
                        EventType.GANG_PLACED.type(),
                        EventType.GANG_RELEASED.type(),
                        EventType.NODE_REGISTERED.type(),
                        EventType.NODE_CHANGED.type(),
                        EventType.QUOTA_TREE_CHANGED.type());
    }

    @Test
    void everyTopicIsMadeAsTheAsyncApiFileSays() throws Exception {
        assertTopics(broker());
    }

    static void assertTopics(String broker) throws Exception {
        EventsFile events = EventsFile.read();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            var made = admin.describeTopics(events.topics()).allTopicNames().get();
            for (String topic : events.topics()) {
                JsonNode binding = events.binding(topic);
                assertThat(made.get(topic).partitions())
                        .as("partitions of %s", topic)
                        .hasSize(binding.get("partitions").intValue());
                ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
                Config config =
                        admin.describeConfigs(List.of(resource)).all().get().get(resource);
                JsonNode told = binding.get("topicConfiguration");
                assertThat(config.get("cleanup.policy").value())
                        .as(topic)
                        .isEqualTo(told.get("cleanup.policy").get(0).stringValue());
                if (told.has("retention.ms")) {
                    assertThat(Long.parseLong(config.get("retention.ms").value()))
                            .as(topic)
                            .isEqualTo(told.get("retention.ms").longValue());
                }
            }
        }
    }

    private String broker() {
        return "127.0.0.1:" + (19_092 + system.portOffset());
    }

    /** All that is committed now. */
    static List<ConsumerRecord<byte[], byte[]>> records(String broker, List<String> topics) {
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        Map<String, Object> settings = Map.of("bootstrap.servers", broker, "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = topics.stream()
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                consumer.poll(Duration.ofMillis(200)).forEach(found::add);
            }
        }
        return found;
    }
}

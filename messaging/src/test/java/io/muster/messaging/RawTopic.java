package io.muster.messaging;

import io.muster.testing.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A topic seen without this module: what any sender may write and any reader may see. */
final class RawTopic {

    private static final Envelope ENVELOPE = new Envelope(JsonMapper.builder().build());

    private final String name;

    RawTopic(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** A record to be sent. */
    record Raw(byte @Nullable [] key, byte @Nullable [] value) {

        static Raw of(String key, String value) {
            return new Raw(utf8(key), utf8(value));
        }
    }

    Raw event(String key, long sequence) {
        return event(UUID.randomUUID().toString(), key, sequence);
    }

    Raw event(String id, String key, long sequence) {
        return Raw.of(key, ENVELOPE.write(TestService.meter(name, key, sequence), id, "/muster/raw", Instant.EPOCH));
    }

    void send(List<Raw> records) {
        Map<String, Object> settings = Map.of("bootstrap.servers", TestBroker.bootstrapServers(), "linger.ms", 50);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            var sent = records.stream()
                    .map(record -> producer.send(new ProducerRecord<>(name, record.key(), record.value())))
                    .toList();
            producer.flush();
            for (var future : sent) {
                future.get();
            }
        } catch (Exception e) {
            throw new AssertionError("could not send to " + name, e);
        }
    }

    /** All committed records, up to the end at the time of the call. */
    List<ConsumerRecord<byte[], byte[]>> committed() {
        try (var reader = reader()) {
            return reader.toEnd();
        }
    }

    Reader reader() {
        return new Reader(name);
    }

    /** Reads from the beginning, committed records only. */
    static final class Reader implements AutoCloseable {

        private final KafkaConsumer<byte[], byte[]> consumer;
        private final List<TopicPartition> partitions;
        private final Deque<ConsumerRecord<byte[], byte[]>> buffer = new ArrayDeque<>();

        private Reader(String topic) {
            Map<String, Object> settings =
                    Map.of("bootstrap.servers", TestBroker.bootstrapServers(), "isolation.level", "read_committed");
            consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
        }

        ConsumerRecord<byte[], byte[]> next() {
            while (buffer.isEmpty()) {
                consumer.poll(Duration.ofSeconds(1)).forEach(buffer::add);
            }
            return buffer.removeFirst();
        }

        List<ConsumerRecord<byte[], byte[]>> toEnd() {
            var ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
            }
            return found;
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

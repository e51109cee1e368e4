package io.muster.messaging;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;

/** The settings that the guarantees stand on; everything else (addresses, security) is the application's. */
final class KafkaClients {

    private final KafkaProperties application;
    private final KafkaConnectionDetails connection;

    KafkaClients(KafkaProperties application, KafkaConnectionDetails connection) {
        this.application = application;
        this.connection = connection;
    }

    /** Short timeouts, because a failed attempt is repeated for ever by the relay, which can be stopped in between. */
    Producer<byte[], byte[]> producer(String transactionalId, String clientId) {
        Map<String, Object> settings = new HashMap<>(application.buildProducerProperties());
        settings.put(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                servers(connection.getProducer().getBootstrapServers()));
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 15_000);
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        // delays nothing: the commit that follows a batch flushes it; it only keeps a batch's events in one request
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 5);
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
        settings.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 10L);
        settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000L);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    Consumer<byte[], byte[]> consumer(ConsumerIdentity identity, int maxRecords) {
        Map<String, Object> settings = new HashMap<>(application.buildConsumerProperties());
        settings.put(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                servers(connection.getConsumer().getBootstrapServers()));
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, identity.clientId());
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, identity.group());
        if (!identity.member().isEmpty()) {
            settings.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, identity.member());
        }
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                List.of(CooperativeStickyAssignor.class.getName()));
        settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 6_000);
        settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 1_500);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxRecords);
        settings.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
        settings.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 10_000L);
        settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 5_000);
        settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000L);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** @param member the static member's name, or empty for a dynamic member */
    record ConsumerIdentity(String group, String clientId, String member) {}

    private static String servers(List<String> servers) {
        return String.join(",", servers);
    }
}

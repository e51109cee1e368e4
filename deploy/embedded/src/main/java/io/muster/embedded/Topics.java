package io.muster.embedded;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes topics on any broker, this module's or another; a topic that exists is left as it is. */
public final class Topics {

    private static final long PATIENCE_SECONDS = 30;

    private Topics() {}

    public static void create(String bootstrapServers, List<TopicSpec> topics) {
        if (topics.isEmpty()) {
            return;
        }
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
            var made = admin.createTopics(topics.stream().map(Topics::wanted).toList())
                    .values();
            made.forEach((topic, future) -> await(topic, future, bootstrapServers));
        }
    }

    private static NewTopic wanted(TopicSpec topic) {
        var settings = new TreeMap<String, String>();
        settings.put("cleanup.policy", topic.compacted() ? "compact" : "delete");
        if (topic.retention() != null) {
            settings.put("retention.ms", Long.toString(topic.retention().toMillis()));
            settings.put("cleanup.policy", topic.compacted() ? "compact,delete" : "delete");
        }
        return new NewTopic(topic.name(), Optional.of(topic.partitions()), Optional.empty()).configs(settings);
    }

    private static void await(String topic, KafkaFuture<Void> made, String bootstrapServers) {
        String failure = "could not make topic " + topic + " on " + bootstrapServers;
        try {
            made.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalStateException(failure, e.getCause());
            }
        } catch (TimeoutException e) {
            throw new IllegalStateException(failure + " within " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(failure + ": interrupted", e);
        }
    }
}

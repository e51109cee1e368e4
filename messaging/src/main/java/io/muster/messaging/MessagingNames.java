package io.muster.messaging;

import io.muster.messaging.KafkaClients.ConsumerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The names this service has at the broker. Groups and transactional ids carry the identity of its database: offsets
 * and leases are kept there, so two databases of one service (an old and a restored one, or two tests) never meet.
 *
 * @param instance empty when this process has no lasting name
 */
record MessagingNames(String service, String instance) {

    static MessagingNames of(String service, @Nullable String instance) {
        return new MessagingNames(service, instance == null ? "" : instance);
    }

    String source() {
        return "/muster/" + service;
    }

    String transactionalId(String database, RelayLane lane) {
        return "muster-" + service + "-" + database + "-outbox-" + lane.name();
    }

    String clientId(String part) {
        return service + "-" + part + (instance.isEmpty() ? "" : "-" + instance);
    }

    ConsumerIdentity consumer(String database, String subscription) {
        return new ConsumerIdentity(
                "muster-" + service + "-" + database + "-" + subscription, clientId(subscription), instance);
    }
}

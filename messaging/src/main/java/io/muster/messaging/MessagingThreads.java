package io.muster.messaging;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.support.TransactionOperations;

/** Makes the relays and subscription loops of one service; asked again at every start. */
final class MessagingThreads {

    private final MessagingProperties properties;
    private final MessagingNames names;
    private final String owner;
    private final KafkaClients clients;
    private final OutboxRepository outbox;
    private final InboxRepository inbox;
    private final MessagingMetrics metrics;
    private final RelayProbe probe;
    private final PartitionInbox.Parts parts;
    private final ObjectProvider<EventSubscription<?>> subscriptions;

    MessagingThreads(
            MessagingProperties properties,
            MessagingNames names,
            String owner,
            KafkaClients clients,
            OutboxRepository outbox,
            InboxRepository inbox,
            MessagingMetrics metrics,
            RelayProbe probe,
            Envelope envelope,
            TransactionOperations transactions,
            ObjectProvider<EventSubscription<?>> subscriptions) {
        this.properties = properties;
        this.names = names;
        this.owner = owner;
        this.clients = clients;
        this.outbox = outbox;
        this.inbox = inbox;
        this.metrics = metrics;
        this.probe = probe;
        this.parts = new PartitionInbox.Parts(envelope, transactions);
        this.subscriptions = subscriptions;
    }

    List<OutboxRelay> relays() {
        return RelayLane.of(properties.shards(), properties.ownLane()).stream()
                .map(lane -> new OutboxRelay(lane, owner, properties, outbox, clients, metrics, probe, names))
                .toList();
    }

    /** Looked up only now: handlers may themselves need the outbox. */
    List<SubscriptionLoop<?>> subscriptions() {
        List<SubscriptionLoop<?>> loops = new ArrayList<>();
        subscriptions.orderedStream().forEach(subscription -> loops.add(loop(subscription)));
        return loops;
    }

    private <T> SubscriptionLoop<T> loop(EventSubscription<T> subscription) {
        return new SubscriptionLoop<>(
                subscription,
                clients,
                outbox,
                inbox,
                names,
                metrics.of(subscription.name()),
                properties.batchSize(),
                parts);
    }

    Thread start(Runnable work, String part) {
        Thread thread =
                Thread.ofPlatform().daemon().name(names.service() + "-" + part).unstarted(work);
        thread.setContextClassLoader(MessagingThreads.class.getClassLoader());
        thread.start();
        return thread;
    }
}

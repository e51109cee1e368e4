package io.muster.simulation;

import io.muster.messaging.EventMetadata;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * Events between services: stored with the state that they tell of, brought to every subscriber at least once, in any
 * order and as late as it likes. A subscriber applies only a sequence above the last one of the key, in one transaction
 * with the note of it.
 */
public final class Topic<T> implements Outbox {

    private record Subscriber<T>(
            Life life, Database database, Map<String, Long> inbox, BiConsumer<EventMetadata, T> apply) {}

    private final Kernel kernel;
    private final Network network;
    private final Life publisher;
    private final Database database;
    private final Class<T> type;
    private final UnaryOperator<T> mutation;
    private final List<Subscriber<T>> subscribers = new ArrayList<>();
    private long awayUntil;

    public Topic(
            Kernel kernel,
            Network network,
            Life publisher,
            Database database,
            Class<T> type,
            UnaryOperator<T> mutation) {
        this.kernel = kernel;
        this.network = network;
        this.publisher = publisher;
        this.database = database;
        this.type = type;
        this.mutation = mutation;
    }

    boolean carries(Class<?> other) {
        return type == other;
    }

    public void subscribe(Life life, Database itsDatabase, BiConsumer<EventMetadata, T> apply) {
        subscribers.add(new Subscriber<>(life, itsDatabase, new TreeMap<>(), apply));
    }

    /** The broker is away for so long. */
    public void away(long millis) {
        awayUntil = Math.max(awayUntil, kernel.millis() + millis);
    }

    @Override
    public void append(OutgoingEvent event) {
        database.withCommit(() -> {
            for (Subscriber<T> subscriber : subscribers) {
                deliver(subscriber, event);
                if (kernel.chance().once(network.fair() ? 0 : 0.15)) {
                    deliver(subscriber, event);
                }
            }
        });
    }

    private void deliver(Subscriber<T> subscriber, OutgoingEvent event) {
        kernel.at(Math.max(network.delay(), awayUntil - kernel.millis()), () -> arrive(subscriber, event));
    }

    private void arrive(Subscriber<T> subscriber, OutgoingEvent event) {
        if (!publisher.up() || !subscriber.life.awake() || kernel.millis() < awayUntil) {
            kernel.at(kernel.chance().between(100, 700), () -> arrive(subscriber, event));
            return;
        }
        subscriber.life.guarded(() -> subscriber.database.writing(() -> take(subscriber, event)));
    }

    private void take(Subscriber<T> subscriber, OutgoingEvent event) {
        Long known = subscriber.inbox.get(event.key());
        if (known != null && known >= event.sequence()) {
            return;
        }
        subscriber.inbox.put(event.key(), event.sequence());
        subscriber.database.undo(() -> {
            if (known == null) {
                subscriber.inbox.remove(event.key());
            } else {
                subscriber.inbox.put(event.key(), known);
            }
        });
        EventMetadata metadata = new EventMetadata(
                "e" + event.sequence(), event.type(), "simulation", event.key(), event.sequence(), kernel.instant());
        subscriber.apply.accept(metadata, mutation.apply(type.cast(event.data())));
    }
}

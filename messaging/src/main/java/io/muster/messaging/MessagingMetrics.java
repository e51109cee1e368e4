package io.muster.messaging;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** {@code muster_outbox_*}, {@code muster_inbox_*}, {@code muster_consumer_*}; subscriptions are the only label. */
final class MessagingMetrics {

    private final MeterRegistry registry;
    private final AtomicLong pendingEvents = new AtomicLong();
    private final AtomicLong oldestMillis = new AtomicLong();
    private final Timer relay;
    private final Counter fenced;
    private final Map<String, OfSubscription> subscriptions = new ConcurrentHashMap<>();

    MessagingMetrics(MeterRegistry registry) {
        this.registry = registry;
        Gauge.builder("muster.outbox.pending.events", pendingEvents, AtomicLong::get)
                .description("events that the broker has not acknowledged yet")
                .register(registry);
        Gauge.builder("muster.outbox.oldest", oldestMillis, millis -> millis.get() / 1000.0)
                .description("age of the oldest of them")
                .baseUnit("seconds")
                .register(registry);
        this.relay = Timer.builder("muster.outbox.relay")
                .description(
                        "from append to the broker's acknowledgement: commit-to-broker and the rest of the transaction")
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofMillis(1))
                .maximumExpectedValue(Duration.ofSeconds(30))
                .register(registry);
        this.fenced = Counter.builder("muster.outbox.fenced")
                .description("times a relay was refused because another one took over")
                .register(registry);
    }

    void backlog(OutboxRepository.Backlog backlog) {
        pendingEvents.set(backlog.events());
        oldestMillis.set((long) (backlog.oldestSeconds() * 1000));
    }

    void relayed(double seconds) {
        relay.record(Duration.ofNanos((long) (seconds * 1e9)));
    }

    void fenced() {
        fenced.increment();
    }

    OfSubscription of(String subscription) {
        return subscriptions.computeIfAbsent(subscription, name -> new OfSubscription(registry, name));
    }

    /** One subscription's meters. */
    static final class OfSubscription {

        private final Counter applied;
        private final Counter superseded;
        private final Counter deadLetters;
        private final AtomicLong parkedKeys = new AtomicLong();
        private final AtomicLong lagRecords = new AtomicLong();

        private OfSubscription(MeterRegistry registry, String subscription) {
            Tags tags = Tags.of("subscription", subscription);
            applied = Counter.builder("muster.inbox.applied").tags(tags).register(registry);
            superseded = Counter.builder("muster.inbox.superseded")
                    .description("late events and duplicates, dropped")
                    .tags(tags)
                    .register(registry);
            deadLetters =
                    Counter.builder("muster.inbox.dead.letters").tags(tags).register(registry);
            Gauge.builder("muster.inbox.parked.keys", parkedKeys, AtomicLong::get)
                    .description("keys that wait because a handler failed on their newest event")
                    .tags(tags)
                    .register(registry);
            Gauge.builder("muster.consumer.lag.records", lagRecords, AtomicLong::get)
                    .tags(tags)
                    .register(registry);
        }

        void committed(int appliedEvents, int supersededEvents, int deadLetterRecords) {
            applied.increment(appliedEvents);
            superseded.increment(supersededEvents);
            deadLetters.increment(deadLetterRecords);
        }

        void parkedKeys(long keys) {
            parkedKeys.set(keys);
        }

        void lag(long records) {
            lagRecords.set(records);
        }
    }
}

package io.muster.messaging;

import io.muster.messaging.ParkedKeys.RetryOutcome;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of one subscription: polls, hands each partition's records to {@link PartitionInbox}, and keeps no truth of
 * its own. The group only shares out the partitions; where to go on is read from the service's database whenever a
 * partition is assigned or something went wrong with it.
 *
 * <p>A partition whose records could not be applied because the infrastructure failed is paused and tried again, for
 * ever, while the others go on and the group membership stays alive.
 */
final class SubscriptionLoop<T> implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionLoop.class);
    private static final Duration LONGEST_POLL = Duration.ofSeconds(1);
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);

    private final EventSubscription<T> subscription;
    private final KafkaClients clients;
    private final OutboxRepository outbox;
    private final InboxRepository inbox;
    private final MessagingNames names;
    private final MessagingMetrics.OfSubscription metrics;
    private final int batchSize;
    private final PartitionInbox<T> partitionInbox;

    private final Map<TopicPartition, Position> positions = new LinkedHashMap<>();
    private final ConcurrentLinkedQueue<Retry> retries = new ConcurrentLinkedQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile @Nullable Consumer<byte[], byte[]> consumer;
    private long housekeepingAt = System.nanoTime();

    SubscriptionLoop(
            EventSubscription<T> subscription,
            KafkaClients clients,
            OutboxRepository outbox,
            InboxRepository inbox,
            MessagingNames names,
            MessagingMetrics.OfSubscription metrics,
            int batchSize,
            PartitionInbox.Parts parts) {
        this.subscription = subscription;
        this.clients = clients;
        this.outbox = outbox;
        this.inbox = inbox;
        this.names = names;
        this.metrics = metrics;
        this.batchSize = batchSize;
        this.partitionInbox = new PartitionInbox<>(subscription, inbox, parts, metrics, () -> closing);
    }

    /** Where the partition stands; {@code retryAt} (nano time) is set while it waits. */
    private static final class Position {
        private OptionalLong expected = OptionalLong.empty();
        private final Backoff backoff = new Backoff();
        private @Nullable Long retryAt;
    }

    private record Retry(String key, CompletableFuture<RetryOutcome> outcome) {}

    String name() {
        return subscription.name();
    }

    CompletableFuture<RetryOutcome> retry(String key) {
        var request = new Retry(key, new CompletableFuture<>());
        retries.add(request);
        wakeUp();
        return request.outcome();
    }

    /** The thread ends soon after; an interrupt makes it sooner. */
    void close() {
        closing = true;
        closed.countDown();
        wakeUp();
    }

    private void wakeUp() {
        Consumer<byte[], byte[]> current = consumer;
        if (current != null) {
            current.wakeup();
        }
    }

    @Override
    public void run() {
        var backoff = new Backoff();
        while (!closing) {
            try {
                consume(backoff);
            } catch (InterruptException e) {
                closing = true;
            } catch (RuntimeException | Error e) {
                // an error too: a thread that ends silently leaves its partitions to nobody
                if (!closing) {
                    Duration wait = backoff.next();
                    LOG.warn(
                            "consumer starts again in {} ms subscription={}: {}",
                            wait.toMillis(),
                            subscription.name(),
                            e.toString());
                    sleep(wait);
                }
            }
        }
        refuseRetries();
    }

    private void consume(Backoff backoff) {
        var identity = names.consumer(outbox.identity(), subscription.name());
        Consumer<byte[], byte[]> current = clients.consumer(identity, batchSize);
        consumer = current;
        try {
            current.subscribe(List.of(subscription.topic()), new Assignment(current));
            while (!closing) {
                turn(current);
                backoff.reset();
            }
        } finally {
            consumer = null;
            positions.clear();
            boolean interrupted = Thread.interrupted();
            current.close(CloseOptions.timeout(Duration.ofMillis(500)));
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void turn(Consumer<byte[], byte[]> current) {
        serveRetries();
        housekeeping();
        resumeDue(current);
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = current.poll(pollTime());
        } catch (WakeupException e) {
            return;
        }
        for (TopicPartition partition : records.partitions()) {
            if (closing) {
                return;
            }
            apply(current, partition, records.records(partition));
        }
        metrics.lag(lag(current));
    }

    private void apply(
            Consumer<byte[], byte[]> current, TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
        Position position = positions.get(partition);
        if (position == null || position.retryAt != null) {
            return;
        }
        try {
            partitionInbox.apply(
                    partition, position.expected, records, next -> position.expected = OptionalLong.of(next));
            position.backoff.reset();
        } catch (RuntimeException e) {
            hold(current, partition, position, e);
        }
    }

    /** Nothing is known about the partition any more; it is read again from the database when the wait is over. */
    private void hold(
            Consumer<byte[], byte[]> current, TopicPartition partition, Position position, RuntimeException failure) {
        if (closing) {
            return;
        }
        Duration wait = position.backoff.next();
        position.retryAt = System.nanoTime() + wait.toNanos();
        current.pause(List.of(partition));
        if (failure instanceof PartitionInbox.Refused) {
            LOG.info("refused subscription={} partition={}: {}", subscription.name(), partition, failure.getMessage());
        } else {
            LOG.warn(
                    "waits {} ms subscription={} partition={}: {}",
                    wait.toMillis(),
                    subscription.name(),
                    partition,
                    failure.toString());
        }
    }

    private void resumeDue(Consumer<byte[], byte[]> current) {
        long now = System.nanoTime();
        positions.forEach((partition, position) -> {
            if (position.retryAt != null && now - position.retryAt >= 0) {
                place(current, partition, position);
            }
        });
    }

    private void place(Consumer<byte[], byte[]> current, TopicPartition partition, Position position) {
        try {
            OptionalLong next = inbox.nextOffset(subscription.name(), partition);
            partitionInbox.resolve(partition, next);
            position.expected = next;
            if (next.isPresent()) {
                current.seek(partition, next.getAsLong());
            } else {
                current.seekToBeginning(List.of(partition));
            }
            position.retryAt = null;
            current.resume(List.of(partition));
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            hold(current, partition, position, e);
        }
    }

    private Duration pollTime() {
        long nanos = LONGEST_POLL.toNanos();
        long now = System.nanoTime();
        for (Position position : positions.values()) {
            if (position.retryAt != null) {
                nanos = Math.min(nanos, Math.max(0, position.retryAt - now));
            }
        }
        return Duration.ofNanos(nanos);
    }

    private static long lag(Consumer<byte[], byte[]> current) {
        long lag = 0;
        for (TopicPartition partition : current.assignment()) {
            lag += current.currentLag(partition).orElse(0);
        }
        return lag;
    }

    private void serveRetries() {
        for (Retry retry = retries.poll(); retry != null; retry = retries.poll()) {
            try {
                retry.outcome().complete(partitionInbox.retry(retry.key()));
            } catch (RuntimeException e) {
                retry.outcome().completeExceptionally(e);
            }
        }
    }

    private void refuseRetries() {
        for (Retry retry = retries.poll(); retry != null; retry = retries.poll()) {
            retry.outcome()
                    .completeExceptionally(
                            new IllegalStateException("subscription " + subscription.name() + " has stopped"));
        }
    }

    private void housekeeping() {
        long now = System.nanoTime();
        if (now - housekeepingAt < 0) {
            return;
        }
        housekeepingAt = now + HOUSEKEEPING.toNanos();
        try {
            metrics.parkedKeys(inbox.countParked(subscription.name()));
        } catch (RuntimeException e) {
            LOG.debug("parked keys of subscription={} not counted: {}", subscription.name(), e.toString());
        }
    }

    private void sleep(Duration wait) {
        try {
            closing |= closed.await(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            closing = true;
        }
    }

    /** Called inside poll, on this thread: nothing is in flight then. */
    private final class Assignment implements ConsumerRebalanceListener {

        private final Consumer<byte[], byte[]> current;

        Assignment(Consumer<byte[], byte[]> current) {
            this.current = current;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) {
                var position = new Position();
                positions.put(partition, position);
                place(current, partition, position);
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            partitions.forEach(positions::remove);
        }
    }
}

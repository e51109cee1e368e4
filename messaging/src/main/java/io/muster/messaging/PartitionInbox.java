package io.muster.messaging;

import io.muster.messaging.Envelope.Readable;
import io.muster.messaging.Envelope.Reading;
import io.muster.messaging.Envelope.Unreadable;
import io.muster.messaging.InboxRepository.Outcome;
import io.muster.messaging.InboxRepository.Row;
import io.muster.messaging.ParkedKeys.RetryOutcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Applies the records of one subscription: the handler's effect, the inbox and the offset in one transaction.
 *
 * <p>Which rule wins, per record: nothing in it (a tombstone) → skipped; unreadable → dead letter; a sequence not above
 * the applied one → SUPERSEDED; its key is parked → it takes the parked one's place; else the handler, APPLIED. A batch
 * in which a handler fails is rolled back and done again record by record, so that only the failing key is parked.
 * Failures of the infrastructure leave everything as it was and go to the caller, who waits.
 */
final class PartitionInbox<T> {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionInbox.class);

    private final EventSubscription<T> subscription;
    private final Envelope envelope;
    private final InboxRepository repository;
    private final TransactionOperations transactions;
    private final MessagingMetrics.OfSubscription metrics;
    private final BooleanSupplier closing;
    private final Map<TopicPartition, InDoubt<T>> inDoubt = new HashMap<>();

    PartitionInbox(
            EventSubscription<T> subscription,
            InboxRepository repository,
            Parts parts,
            MessagingMetrics.OfSubscription metrics,
            BooleanSupplier closing) {
        this.subscription = subscription;
        this.repository = repository;
        this.envelope = parts.envelope();
        this.transactions = parts.transactions();
        this.metrics = metrics;
        this.closing = closing;
    }

    /** What all subscriptions of a service share. */
    record Parts(Envelope envelope, TransactionOperations transactions) {}

    /** Another instance has moved the offset: this one does not hold the partition any more, or lags behind itself. */
    static final class Refused extends RuntimeException {
        Refused(TopicPartition partition) {
            super("the offset of " + partition + " was moved by another instance", null, false, false);
        }
    }

    /** A handler's exception, kept apart from those of this class and of the infrastructure. */
    private static final class HandlerFailed extends RuntimeException {
        HandlerFailed(RuntimeException cause) {
            super(cause);
        }
    }

    /** Each record with what its bytes turned out to be. */
    private record Received<T>(ConsumerRecord<byte[], byte[]> record, Reading<T> reading) {}

    /** What one transaction did. */
    private record Effect<T>(List<Readable<T>> applied, int superseded, int deadLetters) {}

    /** A commit whose answer was lost: the offset in the database will tell whether it happened. */
    private record InDoubt<T>(long next, Effect<T> effect) {}

    /**
     * Applies all records or throws; the returned offset is the one to expect next time.
     *
     * @param progress told the offset after every committed transaction, so that a later failure loses nothing
     */
    void apply(
            TopicPartition partition,
            OptionalLong expected,
            List<ConsumerRecord<byte[], byte[]>> records,
            LongConsumer progress) {
        List<Received<T>> received = new ArrayList<>(records.size());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.value() != null) {
                received.add(
                        new Received<>(record, envelope.read(record.key(), record.value(), subscription.dataType())));
            }
        }
        long last = records.getLast().offset() + 1;
        try {
            commit(partition, expected, last, received);
            progress.accept(last);
        } catch (HandlerFailed e) {
            if (closing.getAsBoolean()) {
                throw e; // it was cut off; it is done again at the next start
            }
            oneByOne(partition, expected, received, last, progress);
        }
    }

    private void oneByOne(
            TopicPartition partition,
            OptionalLong expected,
            List<Received<T>> received,
            long last,
            LongConsumer progress) {
        OptionalLong next = expected;
        for (int i = 0; i < received.size(); i++) {
            Received<T> one = received.get(i);
            long after = i + 1 == received.size()
                    ? last
                    : received.get(i + 1).record().offset();
            try {
                commit(partition, next, after, List.of(one));
            } catch (HandlerFailed e) {
                if (closing.getAsBoolean() || !(one.reading() instanceof Readable<T> event)) {
                    throw e;
                }
                park(partition, next, after, event, causeOf(e));
            }
            next = OptionalLong.of(after);
            progress.accept(after);
        }
    }

    private void commit(TopicPartition partition, OptionalLong expected, long next, List<Received<T>> received) {
        var done = new Done<T>();
        try {
            inTransaction(() -> {
                if (!repository.advance(subscription.name(), partition, expected, next)) {
                    throw new Refused(partition);
                }
                done.effect = applyAll(partition, received);
                return true;
            });
        } catch (RuntimeException e) {
            if (done.effect != null && Failures.isInfrastructure(e)) {
                inDoubt.put(partition, new InDoubt<>(next, done.effect));
            }
            throw e;
        }
        announce(partition, Objects.requireNonNull(done.effect));
    }

    /** Set when all work of a transaction was done and only its commit was left. */
    private static final class Done<T> {
        private @Nullable Effect<T> effect;
    }

    /** Called with the offset found in the database, before anything else is applied to the partition. */
    void resolve(TopicPartition partition, OptionalLong offset) {
        InDoubt<T> doubt = inDoubt.remove(partition);
        if (doubt != null && offset.equals(OptionalLong.of(doubt.next()))) {
            announce(partition, doubt.effect());
        }
    }

    private Effect<T> applyAll(TopicPartition partition, List<Received<T>> received) {
        String name = subscription.name();
        var keys = new TreeSet<String>();
        for (Received<T> one : received) {
            if (one.reading() instanceof Readable<T> event) {
                keys.add(event.metadata().key());
            }
        }
        Map<String, Long> known = repository.appliedSequences(name, keys);
        Map<String, Long> parked = repository.parkedSequences(name, keys);
        Map<String, Long> raised = new TreeMap<>();
        List<Row> rows = new ArrayList<>();
        List<Readable<T>> applied = new ArrayList<>();
        int deadLetters = 0;
        for (Received<T> one : received) {
            switch (one.reading()) {
                case Unreadable<T>(String reason) -> {
                    deadLetter(partition, one.record(), reason);
                    deadLetters++;
                }
                case Readable<T> event -> {
                    EventMetadata metadata = event.metadata();
                    boolean late = metadata.sequence() <= known.getOrDefault(metadata.key(), -1L);
                    if (late) {
                        rows.add(row(metadata, Outcome.SUPERSEDED));
                    } else if (parked.containsKey(metadata.key())) {
                        repository.replaceParked(name, metadata, event.json());
                    } else {
                        handle(event);
                        known.put(metadata.key(), metadata.sequence());
                        raised.put(metadata.key(), metadata.sequence());
                        rows.add(row(metadata, Outcome.APPLIED));
                        applied.add(event);
                    }
                }
            }
        }
        repository.setApplied(name, raised);
        repository.record(name, rows);
        return new Effect<>(applied, rows.size() - applied.size(), deadLetters);
    }

    private void handle(Readable<T> event) {
        try {
            subscription.handler().apply(event.metadata(), event.data());
        } catch (RuntimeException e) {
            if (Failures.isInfrastructure(e)) {
                throw e;
            }
            throw new HandlerFailed(e);
        } catch (AssertionError | LinkageError | StackOverflowError e) {
            throw new HandlerFailed(new IllegalStateException(e));
        }
    }

    private void deadLetter(TopicPartition partition, ConsumerRecord<byte[], byte[]> record, String reason) {
        LOG.warn(
                "dead letter subscription={} partition={} offset={}: {}",
                subscription.name(),
                partition,
                record.offset(),
                reason);
        repository.deadLetter(subscription.name(), partition, record.offset(), record.key(), record.value(), reason);
    }

    private void park(
            TopicPartition partition, OptionalLong expected, long next, Readable<T> event, RuntimeException failure) {
        LOG.error(
                "parked subscription={} key={} type={} sequence={}",
                subscription.name(),
                event.metadata().key(),
                event.metadata().type(),
                event.metadata().sequence(),
                failure);
        transactions.executeWithoutResult(status -> {
            if (!repository.advance(subscription.name(), partition, expected, next)) {
                throw new Refused(partition);
            }
            parkRow(partition, event, failure);
        });
        refreshParked();
    }

    private void parkRow(TopicPartition partition, Readable<T> event, RuntimeException failure) {
        repository.park(
                subscription.name(),
                partition,
                event.metadata(),
                event.json(),
                Failures.reason(failure),
                Failures.origin(failure));
    }

    /**
     * After the commit, for every event, whatever happens to one of them. The state is safe; only an image in memory can
     * be wrong now, which is made as visible as any other bug.
     */
    private void announce(TopicPartition partition, Effect<T> effect) {
        metrics.committed(effect.applied().size(), effect.superseded(), effect.deadLetters());
        List<Runnable> parking = new ArrayList<>();
        for (Readable<T> event : effect.applied()) {
            try {
                subscription.handler().committed(event.metadata(), event.data());
            } catch (RuntimeException e) {
                LOG.error(
                        "parked subscription={} key={} after its commit",
                        subscription.name(),
                        event.metadata().key(),
                        e);
                parking.add(() -> transactions.executeWithoutResult(status -> parkRow(partition, event, e)));
            }
        }
        if (!parking.isEmpty()) {
            parking.forEach(Runnable::run);
            refreshParked();
        }
    }

    /**
     * On the thread of the subscription; see {@link ParkedKeys}. Another instance may hold the partition and put a newer
     * event in the parked one's place meanwhile: then that one is next.
     */
    RetryOutcome retry(String key) {
        var outcome = RetryOutcome.NOT_PARKED;
        try {
            for (var parked = repository.parked(subscription.name(), key);
                    parked.isPresent() && outcome != RetryOutcome.FAILED_AGAIN;
                    parked = repository.parked(subscription.name(), key)) {
                outcome = retry(parked.get());
            }
            return outcome;
        } finally {
            refreshParked();
        }
    }

    private RetryOutcome retry(InboxRepository.Parked parked) {
        var partition = new TopicPartition(parked.topic(), parked.partition());
        byte[] key = parked.key().key().getBytes(StandardCharsets.UTF_8);
        byte[] json = parked.key().event().getBytes(StandardCharsets.UTF_8);
        if (!(envelope.read(key, json, subscription.dataType()) instanceof Readable<T> event)) {
            return RetryOutcome.FAILED_AGAIN;
        }
        try {
            int applied = inTransaction(() -> applyParked(partition, event));
            subscription.handler().committed(event.metadata(), event.data());
            metrics.committed(applied, 0, 0);
            repository.unpark(subscription.name(), event.metadata());
            return RetryOutcome.APPLIED;
        } catch (HandlerFailed e) {
            return failedAgain(partition, event, causeOf(e));
        } catch (RuntimeException e) {
            if (Failures.isInfrastructure(e)) {
                throw e;
            }
            return failedAgain(partition, event, e);
        }
    }

    /** Nothing to apply when only the hook after the commit had failed. */
    private int applyParked(TopicPartition partition, Readable<T> event) {
        repository.lock(subscription.name(), partition);
        EventMetadata metadata = event.metadata();
        String key = metadata.key();
        Map<String, Long> known = repository.appliedSequences(subscription.name(), List.of(key));
        if (metadata.sequence() <= known.getOrDefault(key, -1L)) {
            return 0;
        }
        handle(event);
        repository.setApplied(subscription.name(), Map.of(key, metadata.sequence()));
        repository.record(subscription.name(), List.of(row(metadata, Outcome.APPLIED)));
        return 1;
    }

    private RetryOutcome failedAgain(TopicPartition partition, Readable<T> event, RuntimeException failure) {
        LOG.error(
                "retry failed subscription={} key={}",
                subscription.name(),
                event.metadata().key(),
                failure);
        transactions.executeWithoutResult(status -> parkRow(partition, event, failure));
        return RetryOutcome.FAILED_AGAIN;
    }

    private void refreshParked() {
        metrics.parkedKeys(repository.countParked(subscription.name()));
    }

    private static RuntimeException causeOf(HandlerFailed failure) {
        return (RuntimeException) Objects.requireNonNull(failure.getCause());
    }

    private static Row row(EventMetadata event, Outcome outcome) {
        return new Row(event.id(), event.key(), event.sequence(), outcome);
    }

    /** A commit that fails for another reason than the infrastructure is the handler's doing (a deferred constraint). */
    private <R> R inTransaction(Supplier<R> work) {
        try {
            return Objects.requireNonNull(transactions.<R>execute(status -> work.get()));
        } catch (HandlerFailed | Refused e) {
            throw e;
        } catch (RuntimeException e) {
            if (Failures.isInfrastructure(e)) {
                throw e;
            }
            throw new HandlerFailed(e);
        }
    }
}

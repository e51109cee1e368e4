package io.muster.messaging;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the events of one lane to the broker, in order, one Kafka transaction per batch.
 *
 * <p>Who relays is decided twice. The lease in the database (its time only) keeps idle instances quiet; the broker's
 * fence on the fixed transactional id makes it safe: whoever took over has raised the producer's epoch, and a relay that
 * was paused and goes on is refused. Being refused it drops its producer and must show its lease again before it may
 * make a new one. After making one it shows the lease again, because an old holder that was paused just before would
 * otherwise fence its successor and send.
 *
 * <p>Failures are waited out for ever. A crash between the broker's acknowledgement and the mark sends the batch again
 * with the same ids and sequences, which consumers drop.
 */
final class OutboxRelay implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);
    private static final int REMOVED_AT_ONCE = 5_000;

    private final RelayLane lane;
    private final String owner;
    private final MessagingProperties properties;
    private final OutboxRepository repository;
    private final KafkaClients clients;
    private final MessagingMetrics metrics;
    private final RelayProbe probe;
    private final MessagingNames names;

    private final Semaphore wake = new Semaphore(0);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean closing;

    private @Nullable Producer<byte[], byte[]> producer;
    private long term;
    private boolean leading;
    private long renewAt;
    private long housekeepingAt;
    private long[] unmarked = {};

    OutboxRelay(
            RelayLane lane,
            String owner,
            MessagingProperties properties,
            OutboxRepository repository,
            KafkaClients clients,
            MessagingMetrics metrics,
            RelayProbe probe,
            MessagingNames names) {
        this.lane = lane;
        this.owner = owner;
        this.properties = properties;
        this.repository = repository;
        this.clients = clients;
        this.metrics = metrics;
        this.probe = probe;
        this.names = names;
        this.renewAt = System.nanoTime();
        this.housekeepingAt = System.nanoTime();
    }

    String name() {
        return "outbox-" + lane.name();
    }

    void wake() {
        wake.release();
    }

    /** The thread ends soon after; an interrupt makes it sooner. */
    void close() {
        closing = true;
        closed.countDown();
        wake.release();
    }

    @Override
    public void run() {
        var backoff = new Backoff();
        while (!closing) {
            try {
                boolean more = turn();
                backoff.reset();
                if (!more) {
                    sleep(properties.pollInterval());
                }
            } catch (InterruptedException | InterruptException e) {
                closing = true;
            } catch (RuntimeException | Error e) {
                // an error too: a thread that ends silently strands every later event
                failed(e, backoff.next());
            }
        }
        end();
    }

    /** True when there may be more to send at once. */
    private boolean turn() throws InterruptedException {
        housekeeping();
        if (!lead()) {
            return false;
        }
        mark();
        List<OutboxRepository.Unsent> batch = repository.unsent(lane, properties.batchSize());
        if (batch.isEmpty()) {
            return false;
        }
        long readAt = System.nanoTime();
        probe.read();
        send(batch);
        probe.acknowledged();
        long nanos = System.nanoTime() - readAt;
        batch.forEach(event -> metrics.relayed(event.ageSeconds() + nanos / 1e9));
        unmarked = batch.stream().mapToLong(OutboxRepository.Unsent::position).toArray();
        mark();
        return batch.size() == properties.batchSize();
    }

    private void mark() {
        if (unmarked.length > 0) {
            repository.markSent(unmarked);
            unmarked = new long[0];
        }
    }

    private boolean lead() {
        long now = System.nanoTime();
        if (leading && producer != null && now - renewAt < 0) {
            return true;
        }
        if (leading && !repository.renew(lane, owner, term, properties.leaseDuration())) {
            LOG.info("relay lost its lease lane={} owner={} term={}", lane.name(), owner, term);
            stepBack();
        }
        if (!leading) {
            OptionalLong acquired = repository.acquire(lane, owner, properties.leaseDuration());
            if (acquired.isEmpty()) {
                return false;
            }
            term = acquired.getAsLong();
            leading = true;
            LOG.info("relay leads lane={} owner={} term={}", lane.name(), owner, term);
        }
        if (producer == null) {
            producer = clients.producer(names.transactionalId(repository.identity(), lane), names.clientId(name()));
            producer.initTransactions();
            if (!repository.renew(lane, owner, term, properties.leaseDuration())) {
                stepBack();
                return false;
            }
        }
        renewAt = System.nanoTime() + properties.leaseDuration().dividedBy(3).toNanos();
        return true;
    }

    private void send(List<OutboxRepository.Unsent> batch) throws InterruptedException {
        Producer<byte[], byte[]> current = Objects.requireNonNull(producer);
        current.beginTransaction();
        List<Future<RecordMetadata>> sent = new ArrayList<>(batch.size());
        for (OutboxRepository.Unsent event : batch) {
            Future<RecordMetadata> future = current.send(record(event));
            if (future.isDone()) {
                // refused at once: without this each event of the batch would wait for the same missing broker or topic
                requireTaken(event, future);
            }
            sent.add(future);
        }
        current.commitTransaction();
        for (int i = 0; i < sent.size(); i++) {
            requireTaken(batch.get(i), sent.get(i));
        }
    }

    private static void requireTaken(OutboxRepository.Unsent event, Future<RecordMetadata> future)
            throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException e) {
            throw new KafkaException(
                    "topic " + event.topic() + " did not take event " + event.id() + ": " + e.getCause(), e.getCause());
        }
    }

    private ProducerRecord<byte[], byte[]> record(OutboxRepository.Unsent event) {
        var record = new ProducerRecord<>(event.topic(), utf8(event.key()), utf8(event.event()));
        Headers headers = record.headers();
        headers.add("content-type", utf8(Envelope.CONTENT_TYPE));
        headers.add("ce_specversion", utf8("1.0"));
        headers.add("ce_id", utf8(event.id()));
        headers.add("ce_type", utf8(event.type()));
        headers.add("ce_source", utf8(names.source()));
        headers.add("ce_subject", utf8(event.subject()));
        headers.add("ce_time", utf8(event.time().toString()));
        return record;
    }

    /** A failed producer may hold a half-done transaction: a new one ends that before it does anything else. */
    private void failed(Throwable failure, Duration wait) {
        if (closing) {
            return;
        }
        if (isFenced(failure)) {
            LOG.info("relay fenced lane={} owner={} term={}: another one took over", lane.name(), owner, term);
            metrics.fenced();
            stepBack();
            return;
        }
        LOG.warn("relay waits {} ms lane={} owner={}: {}", wait.toMillis(), lane.name(), owner, failure.toString());
        if (failure instanceof KafkaException) {
            dropProducer();
        }
        try {
            pause(wait);
        } catch (InterruptedException e) {
            closing = true;
        }
    }

    private static boolean isFenced(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException) {
                return true;
            }
        }
        return false;
    }

    private void stepBack() {
        leading = false;
        dropProducer();
    }

    private void dropProducer() {
        Producer<byte[], byte[]> current = producer;
        producer = null;
        if (current != null) {
            current.close(Duration.ZERO);
        }
    }

    private void end() {
        dropProducer();
        if (leading && !Thread.currentThread().isInterrupted()) {
            try {
                mark();
                repository.release(lane, owner, term);
            } catch (RuntimeException e) {
                LOG.info("relay could not release its lease lane={} owner={}: {}", lane.name(), owner, e.toString());
            }
        }
    }

    private void housekeeping() {
        long now = System.nanoTime();
        if (now - housekeepingAt < 0) {
            return;
        }
        housekeepingAt = now + HOUSEKEEPING.toNanos();
        metrics.backlog(repository.backlog());
        if (leading && lane.number() == 0) {
            repository.removeOld(properties.retention(), REMOVED_AT_ONCE);
        }
    }

    /** Until a commit is announced or the time is up. */
    private void sleep(Duration longest) throws InterruptedException {
        if (wake.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
            wake.drainPermits();
        }
    }

    /** After a failure commits do not shorten the wait; closing does. */
    private void pause(Duration wait) throws InterruptedException {
        closing |= closed.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

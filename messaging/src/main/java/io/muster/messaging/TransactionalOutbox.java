package io.muster.messaging;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores the event in the caller's transaction and wakes the relay when that commits. An event that the broker would
 * never take is refused here, while its sender can still do something about it: in the relay it would stop all others.
 */
final class TransactionalOutbox implements Outbox {

    private final OutboxRepository repository;
    private final Envelope envelope;
    private final EventIds ids;
    private final InstantSource clock;
    private final String source;
    private final int maxEventBytes;
    private final Runnable wakeRelay;

    TransactionalOutbox(
            OutboxRepository repository,
            Envelope envelope,
            EventIds ids,
            InstantSource clock,
            String source,
            int maxEventBytes,
            Runnable wakeRelay) {
        this.repository = repository;
        this.envelope = envelope;
        this.ids = ids;
        this.clock = clock;
        this.source = source;
        this.maxEventBytes = maxEventBytes;
        this.wakeRelay = wakeRelay;
    }

    @Override
    public void append(OutgoingEvent event) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException(event.type() + " for " + event.key()
                    + " must be appended inside the transaction that makes it true");
        }
        String id = ids.next();
        Instant time = clock.instant().truncatedTo(ChronoUnit.MICROS);
        String json = envelope.write(event, id, source, time);
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxEventBytes) {
            throw new IllegalArgumentException(event.type() + " for " + event.key() + " has " + bytes
                    + " bytes, the broker takes at most " + maxEventBytes);
        }
        repository.insert(event, id, time, json);
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                wakeRelay.run();
            }
        });
    }
}

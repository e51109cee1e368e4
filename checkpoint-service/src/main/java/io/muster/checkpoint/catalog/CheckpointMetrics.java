package io.muster.checkpoint.catalog;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts what was committed to the database: inside a transaction, only after it holds. */
@Component
class CheckpointMetrics {

    private final Counter committed;
    private final Counter abandoned;
    private final Counter fenced;
    private final Timer commitTime;

    CheckpointMetrics(MeterRegistry registry) {
        committed = counter("muster_checkpoints_committed", "checkpoints committed", registry);
        abandoned = counter("muster_checkpoints_abandoned", "checkpoints abandoned before they were whole", registry);
        fenced = counter("muster_checkpoint_fenced", "requests of attempts that are over", registry);
        commitTime = Timer.builder("muster_checkpoint_commit_seconds")
                .description("from reservation to commit")
                .publishPercentileHistogram()
                .register(registry);
    }

    void committed(Duration sinceReservation) {
        whenItHolds(() -> {
            committed.increment();
            commitTime.record(sinceReservation);
        });
    }

    void abandoned(int count) {
        whenItHolds(() -> abandoned.increment(count));
    }

    void fenced() {
        fenced.increment();
    }

    private static void whenItHolds(Runnable counting) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            counting.run();
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                counting.run();
            }
        });
    }

    private static Counter counter(String name, String description, MeterRegistry registry) {
        return Counter.builder(name).description(description).register(registry);
    }
}

package io.muster.checkpoint.catalog;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.contract.checkpoint.Durability;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counts what was committed to the database: inside a transaction, only after it holds. */
@Component
class CheckpointMetrics {

    private final Counter committed;
    private final Counter abandoned;
    private final Counter fenced;
    private final Counter corrupt;
    private final Counter restoredOlder;
    private final Timer lostWork;
    private final Map<Durability, Timer> written;

    CheckpointMetrics(MeterRegistry registry) {
        committed = counter("muster_checkpoints_committed", "checkpoints committed", registry);
        abandoned = counter("muster_checkpoints_abandoned", "checkpoints abandoned before they were whole", registry);
        fenced = counter("muster_checkpoint_fenced", "requests of attempts that are over", registry);
        corrupt = counter("muster_checkpoints_corrupt", "committed checkpoints found to have no whole copy", registry);
        restoredOlder = counter(
                "muster_checkpoint_restored_older", "starts from something older than the newest commit", registry);
        lostWork = timer("muster_checkpoint_lost_work_seconds", "from the restored commit to the newest one")
                .register(registry);
        written = new EnumMap<>(Durability.class);
        for (Durability durability : Durability.values()) {
            written.put(
                    durability,
                    timer("muster_checkpoint_write_seconds", "from reservation until it was so safe")
                            .tag("durability", durability.name())
                            .register(registry));
        }
    }

    void committed() {
        whenItHolds(committed::increment);
    }

    void written(Durability durability, Duration sinceReservation) {
        whenItHolds(() -> Objects.requireNonNull(written.get(durability)).record(sinceReservation));
    }

    void corrupt() {
        whenItHolds(corrupt::increment);
    }

    /** @param lost null if what the attempt starts from has no moment of its own */
    void restoredOlder(@Nullable Duration lost) {
        whenItHolds(() -> {
            restoredOlder.increment();
            if (lost != null) {
                lostWork.record(lost);
            }
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

    private static Timer.Builder timer(String name, String description) {
        return Timer.builder(name).description(description).publishPercentileHistogram();
    }

    private static Counter counter(String name, String description, MeterRegistry registry) {
        return Counter.builder(name).description(description).register(registry);
    }
}

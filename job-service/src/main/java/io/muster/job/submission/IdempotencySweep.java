package io.muster.job.submission;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Forgets keys whose day is over: every ten minutes, in batches, so that no batch holds many locks. */
@Component
class IdempotencySweep {

    private static final Logger log = LoggerFactory.getLogger(IdempotencySweep.class);
    static final int BATCH = 1000;
    private static final int MOST_BATCHES = 100;

    private final IdempotencyStore store;

    IdempotencySweep(IdempotencyStore store) {
        this.store = store;
    }

    @Scheduled(fixedDelay = 10, initialDelay = 10, timeUnit = TimeUnit.MINUTES)
    void sweep() {
        int forgotten = 0;
        int last = BATCH;
        for (int batches = 0; last == BATCH && batches < MOST_BATCHES; batches++) {
            last = store.sweep(BATCH);
            forgotten += last;
        }
        log.debug("idempotency keys forgotten={}", forgotten);
    }
}

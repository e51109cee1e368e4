package io.muster.messaging;

import java.time.Duration;
import java.util.List;

/**
 * Keys whose newest event a handler failed on. Other keys go on; of a parked key the newest event is kept and waits for
 * {@link #retry}, usually after the service was repaired.
 */
public interface ParkedKeys {

    List<ParkedKey> list();

    /**
     * Applies the parked event on the subscription's own thread.
     *
     * @throws IllegalArgumentException when this service has no such subscription
     * @throws IllegalStateException when the subscription does not run or does not answer within the patience
     */
    RetryOutcome retry(String subscription, String key, Duration patience);

    /** As {@link #retry(String, String, Duration)}, with ten seconds of patience. */
    default RetryOutcome retry(String subscription, String key) {
        return retry(subscription, key, Duration.ofSeconds(10));
    }

    /** What became of a retry. */
    enum RetryOutcome {
        APPLIED,
        FAILED_AGAIN,
        NOT_PARKED
    }
}

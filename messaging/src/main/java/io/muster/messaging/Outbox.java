package io.muster.messaging;

/**
 * Where a service leaves its events: they are stored with its state, in one transaction, and reach the broker soon after
 * the commit, or whenever the broker is back.
 */
public interface Outbox {

    /**
     * Must be called inside a transaction.
     *
     * @throws org.springframework.transaction.IllegalTransactionStateException when there is none
     * @throws IllegalArgumentException when the event is too large for the broker
     */
    void append(OutgoingEvent event);
}

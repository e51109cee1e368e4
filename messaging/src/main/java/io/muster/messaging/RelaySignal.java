package io.muster.messaging;

import java.util.List;

/** Between the commit of a transaction and the relays that run at that moment, if any. */
final class RelaySignal {

    private volatile List<OutboxRelay> relays = List.of();

    void listeners(List<OutboxRelay> running) {
        relays = List.copyOf(running);
    }

    void committed() {
        relays.forEach(OutboxRelay::wake);
    }
}

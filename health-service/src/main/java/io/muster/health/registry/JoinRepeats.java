package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.health.heartbeat.SessionUse;
import io.muster.health.node.NodeRecord;
import java.time.Clock;
import java.time.Instant;
import org.springframework.stereotype.Component;

/**
 * Ends the time in which a join may be repeated: with the node's first heartbeat in its session, or with a registration.
 * The database is asked only while the limit runs. If it is away the heartbeat gets no answer, so a node that was
 * answered can rely on nobody else's repeating its join.
 */
@Component
class JoinRepeats implements SessionUse {

    private final JoinTokenRepository tokens;
    private final RegistryProperties properties;
    private final Clock clock;

    JoinRepeats(JoinTokenRepository tokens, RegistryProperties properties, Clock clock) {
        this.tokens = tokens;
        this.properties = properties;
        this.clock = clock;
    }

    /** Joins that were made before this are over by time. */
    Instant repeatableAfter(Instant now) {
        return now.minus(properties.joinRepeatLimit());
    }

    @Override
    public void used(NodeRecord node) {
        Instant now = clock.instant();
        if (node.registeredAt().isAfter(repeatableAfter(now))) {
            tokens.settle(node.node(), node.session(), now);
        }
    }

    /** Inside the transaction of the registration, and before the node's row is locked, as in a join. */
    void registers(NodeId node) {
        tokens.settle(node, Long.MAX_VALUE, clock.instant());
    }
}

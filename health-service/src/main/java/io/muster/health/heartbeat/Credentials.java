package io.muster.health.heartbeat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Registration;
import io.muster.edge.identity.NodeTokens;
import io.muster.edge.identity.SignedToken;
import io.muster.health.lease.LeaseProperties;
import io.muster.health.node.NodeRecord;
import java.time.Instant;
import org.springframework.stereotype.Component;

/** Signs nodes' credentials and says when one is due for renewal. */
@Component
public class Credentials {

    private final NodeTokens tokens;
    private final HeartbeatProperties properties;
    private final LeaseProperties leases;

    Credentials(NodeTokens tokens, HeartbeatProperties properties, LeaseProperties leases) {
        this.tokens = tokens;
        this.properties = properties;
        this.leases = leases;
    }

    public SignedToken sign(NodeId node) {
        return tokens.issue(node, properties.nodeTokenLife());
    }

    public Registration registration(NodeRecord node, SignedToken token) {
        return new Registration(
                node.node(),
                node.session(),
                token.value(),
                token.expiresAt(),
                leases.heartbeat().toMillis(),
                leases.lease().toMillis());
    }

    boolean dueForRenewal(NodeRecord node, Instant now) {
        return now.isAfter(
                node.tokenExpiresAt().minus(properties.nodeTokenLife().dividedBy(2)));
    }
}

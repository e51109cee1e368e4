package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.Registration;
import io.muster.health.heartbeat.Credentials;
import io.muster.health.lease.Bench;
import io.muster.health.node.Nodes;
import io.muster.simulation.Database;
import io.muster.simulation.Kernel;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The real registrar; an administrator has made a token whenever a node needs one. */
public final class Door {

    private final Registrar registrar;

    public Door(Nodes nodes, Credentials credentials, Bench.Sitting bench, Database database, Kernel kernel) {
        RegistryProperties properties = new RegistryProperties(null, Duration.ofHours(24), Duration.ofMinutes(10));
        Tokens tokens = new Tokens();
        this.registrar = new Registrar(
                nodes,
                tokens,
                new JoinRepeats(tokens, properties, kernel.clock()),
                properties,
                credentials,
                bench.seat,
                bench.leases,
                kernel::nanos,
                new TransactionTemplate(database),
                kernel.clock());
    }

    /** Null: refused. */
    public @Nullable Registration register(NodeId node, NodeFacts facts) {
        return answer(registrar.register(node, facts));
    }

    public @Nullable Registration join(NodeFacts facts) {
        return answer(registrar.join(new JoinRequest("token", facts)));
    }

    private static @Nullable Registration answer(Entry entry) {
        return entry instanceof Entry.Entered(Registration registration) ? registration : null;
    }

    @SuppressWarnings("NullAway")
    private static final class Tokens extends JoinTokenRepository {

        private Tokens() {
            super((JdbcClient) null);
        }

        /** Each is made for one join. */
        @Override
        boolean claim(String hash, NodeFacts facts, Instant now, Instant repeatableAfter) {
            return true;
        }

        @Override
        void joined(String hash, long session) {}

        @Override
        void settle(NodeId node, long session, Instant now) {}
    }
}

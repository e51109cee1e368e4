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
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The real registrar; an administrator has made a token whenever a node needs one. */
public final class Door {

    private final Registrar registrar;

    public Door(Nodes nodes, Credentials credentials, Bench.Sitting bench, Database database, Kernel kernel) {
        this.registrar = new Registrar(
                nodes,
                new Tokens(),
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
        asking = facts.node();
        return answer(registrar.join(new JoinRequest("token", facts)));
    }

    private static @Nullable Registration answer(Entry entry) {
        return entry instanceof Entry.Entered(Registration registration) ? registration : null;
    }

    private @Nullable NodeId asking;

    @SuppressWarnings("NullAway")
    private final class Tokens extends JoinTokenRepository {

        private Tokens() {
            super((JdbcClient) null);
        }

        @Override
        Optional<Stored> lock(String hash) {
            return Optional.of(new Stored(asking, null, null));
        }

        @Override
        void use(String hash, Instant now) {
            // each is made for one join
        }
    }
}

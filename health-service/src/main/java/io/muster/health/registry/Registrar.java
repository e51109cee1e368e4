package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.SignedToken;
import io.muster.health.heartbeat.Credentials;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseJudge;
import io.muster.health.lease.MonotonicTime;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Begins a new life of a node: the first by a one-time join token, later ones by the node's credential. A node that has
 * joined is under an ADMISSION hold until its first checks have passed. The token is used up in the same transaction in
 * which the node enters, so a join that fails can be tried again. One whose answer was lost can be repeated by the same
 * boot at the same address for a while: it gets another session and ends the one before; that is over when the node shows that it has its session ({@link JoinRepeats}).
 */
@Component
class Registrar {

    private final Nodes nodes;
    private final JoinTokenRepository tokens;
    private final JoinRepeats repeats;
    private final RegistryProperties properties;
    private final Credentials credentials;
    private final JudgeSeat seat;
    private final LeaseJudge leases;
    private final MonotonicTime time;
    private final TransactionTemplate transaction;
    private final Clock clock;

    Registrar(
            Nodes nodes,
            JoinTokenRepository tokens,
            JoinRepeats repeats,
            RegistryProperties properties,
            Credentials credentials,
            JudgeSeat seat,
            LeaseJudge leases,
            MonotonicTime time,
            TransactionTemplate transaction,
            Clock clock) {
        this.nodes = nodes;
        this.tokens = tokens;
        this.repeats = repeats;
        this.properties = properties;
        this.credentials = credentials;
        this.seat = seat;
        this.leases = leases;
        this.time = time;
        this.transaction = transaction;
        this.clock = clock;
    }

    Entry join(JoinRequest request) {
        Optional<Problem> incomplete = EntryRules.refuseIncomplete(request);
        if (incomplete.isPresent()) {
            return new Entry.Refused(incomplete.get());
        }
        NodeFacts facts = request.facts();
        Optional<Problem> unusable = EntryRules.refuseFacts(facts);
        if (unusable.isPresent()) {
            return new Entry.Refused(unusable.get());
        }
        return unlessAddressIsTaken(facts, () -> transaction.execute(status -> joinWithToken(request)));
    }

    Entry register(NodeId caller, NodeFacts facts) {
        if (!facts.node().equals(caller)) {
            return new Entry.Refused(EntryRules.otherNode(caller, facts.node()));
        }
        Optional<Problem> unusable = EntryRules.refuseFacts(facts);
        if (unusable.isPresent()) {
            return new Entry.Refused(unusable.get());
        }
        return unlessAddressIsTaken(facts, () -> transaction.execute(status -> registerAnew(caller, facts)));
    }

    private Entry registerAnew(NodeId caller, NodeFacts facts) {
        repeats.registers(caller);
        SignedToken token = credentials.sign(caller);
        return nodes.change(
                        caller,
                        seat.fence(),
                        "registered",
                        (before, newId, now) -> before.registered(facts, token.expiresAt(), now))
                .map(node -> entered(node, token))
                .orElseGet(() -> new Entry.Refused(EntryRules.neverJoined(caller)));
    }

    private Entry joinWithToken(JoinRequest request) {
        NodeFacts facts = request.facts();
        Instant now = clock.instant();
        String hash = JoinSecrets.hash(request.joinToken());
        if (!tokens.claim(hash, facts, now, repeats.repeatableAfter(now))) {
            return new Entry.Refused(
                    EntryRules.joinRefused(tokens.find(hash).orElse(null), facts, now, properties.joinRepeatLimit()));
        }
        SignedToken token = credentials.sign(facts.node());
        NodeRecord entered =
                nodes.enter(facts.node(), seat.fence(), () -> NodeRecord.joined(facts, now), (before, newId, at) -> {
                    NodeRecord alive = before.rejoined(facts).registered(facts, token.expiresAt(), at);
                    HoldOpening admission = HoldOpening.byHealth(
                            HoldCause.ADMISSION,
                            facts.node().value(),
                            "node " + facts.node() + " has just joined; it gets work when its first checks have passed",
                            alive.session());
                    return alive.with(alive.holds().with(admission, newId, at));
                });
        tokens.joined(hash, entered.session());
        return entered(entered, token);
    }

    private Entry entered(NodeRecord node, SignedToken token) {
        leases.begin(node.node(), node.session(), time.nanos());
        return new Entry.Entered(credentials.registration(node, token));
    }

    private Entry unlessAddressIsTaken(NodeFacts facts, Supplier<Entry> entering) {
        Optional<NodeId> holder = nodes.livingAt(facts.agentAddress(), facts.agentPort(), facts.node());
        if (holder.isPresent()) {
            return new Entry.Refused(EntryRules.addressTaken(facts, holder.get()));
        }
        try {
            return entering.get();
        } catch (DuplicateKeyException e) {
            // the other one entered between the question and our commit
            return new Entry.Refused(nodes.livingAt(facts.agentAddress(), facts.agentPort(), facts.node())
                    .map(other -> EntryRules.addressTaken(facts, other))
                    .orElseThrow(() -> e));
        }
    }
}

package io.muster.health.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.NodeState;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.hold.NodeConditions;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * A node as it is stored; every change is a function from record to record.
 *
 * @param session rises with every registration
 * @param sessionEnded the lease of {@code session} ran out
 * @param factsAt when the facts were received; their GPUs' {@code observedAt} are in this service's time
 * @param inventoryGpus how many GPUs the node had when it joined
 * @param spare kept for repairs
 * @param sequence of the last event
 */
public record NodeRecord(
        NodeId node,
        long session,
        boolean sessionEnded,
        NodeFacts facts,
        Instant factsAt,
        int inventoryGpus,
        HoldBook holds,
        Instant registeredAt,
        Instant tokenExpiresAt,
        boolean spare,
        long sequence) {

    /** A node that joins for the first time. */
    public static NodeRecord joined(NodeFacts facts, Instant now) {
        return new NodeRecord(
                facts.node(), 0, true, facts, now, facts.gpus().size(), HoldBook.EMPTY, now, now, false, 0);
    }

    /** A join replaces the inventory; holds stay. */
    public NodeRecord rejoined(NodeFacts joining) {
        return new NodeRecord(
                node,
                session,
                sessionEnded,
                joining,
                factsAt,
                joining.gpus().size(),
                holds,
                registeredAt,
                tokenExpiresAt,
                spare,
                sequence);
    }

    /** A new life begins. It lifts no hold. */
    public NodeRecord registered(NodeFacts seen, Instant tokenEnd, Instant now) {
        return new NodeRecord(
                node,
                session + 1,
                false,
                FactsIntake.atRegistration(seen, now),
                now,
                inventoryGpus,
                holds,
                now,
                tokenEnd,
                spare,
                sequence);
    }

    /** The lease of a session ran out, of the present one or, told late, of an earlier one. */
    public NodeRecord leaseExpired(long ofSession, String message, Supplier<String> newId, Instant now) {
        HoldOpening opening = HoldOpening.byHealth(HoldCause.LEASE_EXPIRED, node.value(), message, ofSession);
        return copy(sessionEnded || ofSession >= session, facts, factsAt, holds.with(opening, newId, now), sequence);
    }

    /** Lost together with others: the same hold, by its id, is on each of them. */
    public NodeRecord lostWithDomain(
            long ofSession, String domain, String message, Supplier<String> newId, Instant now) {
        HoldOpening opening = HoldOpening.byHealth(HoldCause.DOMAIN_LOST, domain, message, ofSession);
        return copy(sessionEnded || ofSession >= session, facts, factsAt, holds.with(opening, newId, now), sequence);
    }

    public NodeRecord withFacts(NodeFacts seen, Instant now) {
        return copy(sessionEnded, seen, now, holds, sequence);
    }

    public NodeRecord with(HoldBook book) {
        return copy(sessionEnded, facts, factsAt, book, sequence);
    }

    public NodeRecord withToken(Instant expiresAt) {
        return new NodeRecord(
                node,
                session,
                sessionEnded,
                facts,
                factsAt,
                inventoryGpus,
                holds,
                registeredAt,
                expiresAt,
                spare,
                sequence);
    }

    public NodeRecord withSpare(boolean kept) {
        return new NodeRecord(
                node,
                session,
                sessionEnded,
                facts,
                factsAt,
                inventoryGpus,
                holds,
                registeredAt,
                tokenExpiresAt,
                kept,
                sequence);
    }

    NodeRecord withSequence(long next) {
        return copy(sessionEnded, facts, factsAt, holds, next);
    }

    private NodeRecord copy(boolean ended, NodeFacts seen, Instant seenAt, HoldBook book, long lastSequence) {
        return new NodeRecord(
                node,
                session,
                ended,
                seen,
                seenAt,
                inventoryGpus,
                book,
                registeredAt,
                tokenExpiresAt,
                spare,
                lastSequence);
    }

    public NodeCondition condition() {
        return NodeConditions.derive(holds.holds());
    }

    /** What others learn. */
    public NodeState state() {
        return new NodeState(node, condition(), session, facts, holds.holds(), registeredAt, spare);
    }

    /** GPUs that their agent keeps out, as hold targets. */
    public Set<String> vetoed() {
        Set<String> targets = new TreeSet<>();
        for (GpuFacts gpu : facts.gpus()) {
            if (gpu.vetoed()) {
                targets.add(gpuTarget(gpu.index()));
            }
        }
        return targets;
    }

    /** How a hold names one of this node's GPUs. */
    public String gpuTarget(int index) {
        return node.value() + "/" + index;
    }

    /** Whether others must hear of the difference; readings such as temperatures do not matter. */
    boolean matters(NodeRecord before) {
        return session != before.session
                || spare != before.spare
                || !holds.holds().equals(before.holds.holds())
                || !FactsIntake.lasting(facts).equals(FactsIntake.lasting(before.facts));
    }
}

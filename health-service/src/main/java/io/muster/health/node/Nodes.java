package io.muster.health.node;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.id.NodeId;
import io.muster.edge.id.Ids;
import io.muster.health.hold.HoldCause;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The only way to change a node: its row is locked, the change applied, and state, holds and event written in one
 * transaction. An event is due when others must hear of the difference; its sequence rises by one for the node. If the
 * transaction fails, nothing has happened and the caller decides whether to ask again.
 */
@Component
public class Nodes {

    private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);

    private final NodeRepository repository;
    private final Outbox outbox;
    private final TransactionTemplate transaction;
    private final Ids ids;
    private final Clock clock;
    private final ObjectProvider<NodeWatcher> watchers;
    private final ObjectProvider<HoldJournal> journals;
    private final TransactionTemplate savepoint;

    Nodes(
            NodeRepository repository,
            Outbox outbox,
            TransactionTemplate transaction,
            Ids ids,
            Clock clock,
            ObjectProvider<NodeWatcher> watchers,
            ObjectProvider<HoldJournal> journals) {
        this.repository = repository;
        this.outbox = outbox;
        this.transaction = transaction;
        this.ids = ids;
        this.clock = clock;
        this.watchers = watchers;
        this.journals = journals;
        this.savepoint = new TransactionTemplate(
                Objects.requireNonNull(transaction.getTransactionManager()),
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
    }

    /** Changes a known node; empty if there is none. */
    public Optional<NodeRecord> change(NodeId node, Fence fence, String because, NodeChange change) {
        return changeAll(List.of(node), fence, because, null, change).stream().findFirst();
    }

    /**
     * Changes several known nodes at once, in the order of their names so that nobody waits in a circle.
     *
     * @param wellUntil when all was last known to be well, for what is told of their holds
     */
    public List<NodeRecord> changeAll(
            Collection<NodeId> nodes, Fence fence, String because, @Nullable Instant wellUntil, NodeChange change) {
        return inTransaction(() -> {
            fence.require();
            List<NodeRecord> results = new ArrayList<>();
            List<HoldJournal.Change> changes = new ArrayList<>();
            Instant now = now();
            for (NodeId node : nodes.stream().sorted().toList()) {
                repository.lock(node).ifPresent(before -> {
                    NodeRecord after = change.apply(before, this::newHoldId, now);
                    NodeRecord written = after.equals(before) ? before : write(before, after, because, now);
                    results.add(written);
                    if (!written.holds().equals(before.holds())) {
                        changes.add(new HoldJournal.Change(before, written));
                    }
                });
            }
            if (!changes.isEmpty()) {
                tellJournals(changes, wellUntil, because, now);
            }
            return results;
        });
    }

    /** Behind a savepoint: a fault in the journal must not keep a hold from being written. */
    private void tellJournals(
            List<HoldJournal.Change> changes, @Nullable Instant wellUntil, String because, Instant now) {
        try {
            savepoint.executeWithoutResult(
                    status -> journals.forEach(journal -> journal.changed(changes, wellUntil, because, now)));
        } catch (RuntimeException e) {
            LOG.error(
                    "the holds of {} are written without their fault",
                    changes.getFirst().after().node(),
                    e);
        }
    }

    /** Changes a node, which is made by {@code first} if it is new. */
    public NodeRecord enter(NodeId node, Fence fence, Supplier<NodeRecord> first, NodeChange change) {
        return inTransaction(() -> {
            fence.require();
            Instant now = now();
            Optional<NodeRecord> known = repository.lock(node);
            NodeRecord before = known.orElseGet(first);
            if (known.isEmpty()) {
                repository.insert(before);
            }
            return write(before, change.apply(before, this::newHoldId, now), "joined", now);
        });
    }

    public Optional<NodeRecord> find(NodeId node) {
        return repository.find(node);
    }

    public List<NodeRecord> all() {
        return repository.all();
    }

    public List<NodeRecord> page(NodeFilter filter, String after, int limit) {
        return repository.page(filter, after, limit);
    }

    public Optional<NodeId> livingAt(String address, int port, NodeId butNot) {
        return repository.livingAt(address, port, butNot);
    }

    public int openedSince(NodeId node, HoldCause cause, Instant since) {
        return repository.openedSince(node, cause, since);
    }

    public List<NodeId> withExpiredHolds() {
        return repository.withExpiredHolds(now());
    }

    private NodeRecord write(NodeRecord before, NodeRecord after, String because, Instant now) {
        boolean tell = after.matters(before);
        NodeRecord written = tell ? after.withSequence(before.sequence() + 1) : after;
        repository.update(written);
        repository.writeHolds(written.node(), before.holds(), written.holds(), because, now);
        if (tell) {
            EventType type = written.session() > before.session() ? EventType.NODE_REGISTERED : EventType.NODE_CHANGED;
            outbox.append(new OutgoingEvent(
                    Topics.NODES,
                    written.node().value(),
                    type.type(),
                    "node/" + written.node(),
                    written.sequence(),
                    written.state()));
        }
        AfterCommit.run(() -> committed(before, written, because));
        return written;
    }

    private void committed(NodeRecord before, NodeRecord written, String because) {
        if (written.spare() != before.spare()) {
            LOG.info("node={} spare={} because=\"{}\"", written.node(), written.spare(), because);
        }
        if (written.session() != before.session()
                || !written.holds().holds().equals(before.holds().holds())) {
            LOG.info(
                    "node={} session={} condition={} holds={} because=\"{}\"",
                    written.node(),
                    written.session(),
                    written.condition(),
                    written.holds().open().stream().map(open -> open.cause()).toList(),
                    because);
        }
        watchers.forEach(watcher -> watcher.changed(written));
    }

    private <T> T inTransaction(Supplier<T> work) {
        T result = transaction.execute(status -> work.get());
        if (result == null) {
            throw new IllegalStateException("the transaction answered nothing");
        }
        return result;
    }

    private String newHoldId() {
        return ids.newId("hold");
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }
}

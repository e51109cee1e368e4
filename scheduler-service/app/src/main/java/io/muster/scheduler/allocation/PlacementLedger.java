package io.muster.scheduler.allocation;

import io.muster.contract.EventType;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import io.muster.scheduler.leadership.LeaseRepository;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes a cycle's decisions: allocations and events in one transaction under the leader's epoch. The fence comes first
 * and keeps its lock to the end, so commits of two instances never interleave. If the epoch has risen nothing is
 * written; if anything else fails, a GPU that is already held for example, all of it is undone by the exception.
 */
@Service
public class PlacementLedger {

    private final LeaseRepository leases;
    private final AllocationRepository allocations;
    private final Outbox outbox;

    PlacementLedger(LeaseRepository leases, AllocationRepository allocations, Outbox outbox) {
        this.leases = leases;
        this.allocations = allocations;
        this.outbox = outbox;
    }

    @Transactional
    public CommitOutcome write(Commit commit, long epoch) {
        Optional<Instant> fenced = leases.fence(epoch);
        if (fenced.isEmpty()) {
            return new CommitOutcome.Fenced();
        }
        Instant moment = fenced.get();
        List<PlacementState> states = new ArrayList<>();
        for (Commit.Release release : commit.releases()) {
            PlacementState state = release.at(moment);
            long position = allocations.free(state, release.sorted(), moment);
            announce(state.endedAt() == null ? EventType.GANG_CHANGED : EventType.GANG_RELEASED, state, position);
            states.add(state);
        }
        for (Commit.Placing placing : commit.placings()) {
            PlacementState state = placing.at(moment, epoch);
            announce(EventType.GANG_PLACED, state, allocations.insert(state));
            states.add(state);
        }
        return new CommitOutcome.Committed(states);
    }

    private void announce(EventType type, PlacementState state, long position) {
        String job = state.jobId().value();
        outbox.append(new OutgoingEvent(type.topic(), job, type.type(), "job/" + job, position, state));
    }
}

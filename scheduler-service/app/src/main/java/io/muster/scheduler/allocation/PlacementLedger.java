package io.muster.scheduler.allocation;

import io.muster.contract.EventType;
import io.muster.contract.id.JobId;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import io.muster.scheduler.leadership.LeaseRepository;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes a cycle's decisions: allocations and events in one transaction under the leader's epoch. A gang that is wounded
 * and repaired in one commit is told as three events, in order: wounded, ended by the repair, repaired. The fence comes first
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
        Map<JobId, PlacementState> freed = new TreeMap<>();
        for (Commit.Freeing freeing : commit.freeings()) {
            PlacementState state = freeing.at(moment);
            announce(type(freeing, state), state, allocations.free(state, freeing.sorted(), moment));
            freed.put(state.jobId(), state);
            states.add(state);
        }
        for (Commit.Repair wanted : commit.repairs()) {
            Commit.Repair repair = wanted.of(freed.getOrDefault(wanted.next().jobId(), wanted.held()));
            PlacementState ended = repair.endedAt(moment);
            announce(EventType.GANG_CHANGED, ended, allocations.endByRepair(ended, repair.staying(), moment));
            PlacementState next = repair.next().at(moment, epoch);
            announce(EventType.GANG_REPAIRED, next, allocations.takeOver(next, ended.generation(), repair.staying()));
            states.add(ended);
            states.add(next);
        }
        for (Commit.Placing placing : commit.placings()) {
            PlacementState state = placing.at(moment, epoch);
            announce(EventType.GANG_PLACED, state, allocations.insert(state));
            states.add(state);
        }
        return new CommitOutcome.Committed(states);
    }

    private static EventType type(Commit.Freeing freeing, PlacementState state) {
        if (state.endedAt() != null) {
            return EventType.GANG_RELEASED;
        }
        return freeing.wounds() ? EventType.GANG_WOUNDED : EventType.GANG_CHANGED;
    }

    private void announce(EventType type, PlacementState state, long position) {
        String job = state.jobId().value();
        outbox.append(new OutgoingEvent(type.topic(), job, type.type(), "job/" + job, position, state));
    }
}

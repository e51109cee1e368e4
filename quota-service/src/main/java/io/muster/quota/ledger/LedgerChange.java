package io.muster.quota.ledger;

import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.quota.ledger.LedgerInterval.Key;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a placement's state changes in the ledger. Pure; the state is whole, so the same state twice changes nothing the
 * second time, and states that were skipped are not missed.
 *
 * <ul>
 *   <li>Every member of the state is an interval, from its {@code since} to its {@code until}. A member that a later
 *       generation keeps with the same {@code since} stays one interval.
 *   <li>An interval of this generation that the state no longer has was never held: it goes.
 *   <li>An interval of an earlier generation that is still open, and that this generation does not keep, has ended
 *       unheard: it ends when this generation was placed, at the latest.
 *   <li>A late state of an earlier generation only tells ends: its open members say nothing that a later one has not
 *       settled.
 * </ul>
 */
record LedgerChange(List<LedgerInterval> put, List<Key> drop) {

    LedgerChange {
        put = List.copyOf(put);
        drop = List.copyOf(drop);
    }

    /** @param known the job's intervals, at least those that are open and those of the state's generation */
    static LedgerChange of(List<LedgerInterval> known, PlacementState state) {
        Map<Key, LedgerInterval> before = new LinkedHashMap<>();
        known.forEach(interval -> before.put(interval.key(), interval));
        boolean late = known.stream().anyMatch(interval -> interval.generation() > state.generation());
        Map<Key, LedgerInterval> told = new LinkedHashMap<>();
        for (PlacedMember member : state.members()) {
            LedgerInterval interval = interval(state, member);
            if (!late || !interval.held()) {
                told.put(interval.key(), interval);
            }
        }
        List<LedgerInterval> put = new ArrayList<>();
        for (LedgerInterval interval : told.values()) {
            LedgerInterval old = before.get(interval.key());
            boolean newerKnows = old != null && old.generation() > interval.generation();
            if (!interval.equals(old) && !newerKnows) {
                put.add(interval);
            }
        }
        List<Key> drop = new ArrayList<>();
        for (LedgerInterval old : before.values()) {
            if (late || told.containsKey(old.key())) {
                continue;
            }
            if (old.generation() == state.generation()) {
                drop.add(old.key());
            } else if (old.held()) {
                put.add(old.endedAt(state.placedAt().toEpochMilli()));
            }
        }
        return new LedgerChange(put, drop);
    }

    private static LedgerInterval interval(PlacementState state, PlacedMember member) {
        var key = new Key(state.jobId(), member.node(), member.since().toEpochMilli());
        Long until = member.until() == null ? null : Long.valueOf(member.until().toEpochMilli());
        return new LedgerInterval(
                key, until, state.generation(), member.gpus().size(), state.tenant(), state.project(), state.queue());
    }
}

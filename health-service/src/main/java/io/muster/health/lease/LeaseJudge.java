package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Decides which nodes are alive, from heartbeats and monotonic nanoseconds alone. A lease counts only time in which a
 * heartbeat could have been received, so all leases restart in full
 *
 * <ul>
 *   <li>when judging begins (start or takeover),
 *   <li>when a sweep is late by more than half a heartbeat: this process stood still,
 *   <li>when somebody is heard after two heartbeats in which nobody was: the network to us stood still.
 * </ul>
 *
 * What a lease that ran out means is decided by {@link LossJudge}. When in doubt a dead node is found late, never a
 * living one lost.
 */
public final class LeaseJudge {

    private final long lease;
    private final long latestSweep;
    private final long silence;
    private final long overdue;
    private final Map<NodeId, Lease> leases = new TreeMap<>();
    private final Map<NodeId, Long> ended = new HashMap<>();
    private long lastSweep;
    private long lastHeardAny;
    private long restartedAt;

    LeaseJudge(Duration lease, Duration heartbeat, Duration sweepEvery, long now) {
        this.lease = lease.toNanos();
        this.latestSweep = sweepEvery.toNanos() + heartbeat.toNanos() / 2;
        this.silence = 2 * heartbeat.toNanos();
        this.overdue = heartbeat.toNanos() + heartbeat.toNanos() / 2;
        this.restartedAt = now;
        this.lastSweep = now;
        this.lastHeardAny = now;
    }

    /** Judging begins with these living sessions and nothing else. */
    synchronized void beginWith(Map<NodeId, Long> sessions, long now) {
        leases.clear();
        ended.clear();
        sessions.forEach((node, session) -> leases.put(node, new Lease(session, now)));
        lastSweep = now;
        lastHeardAny = now;
        restartedAt = now;
    }

    /** A registration: a new life of the node. */
    public synchronized void begin(NodeId node, long session, long now) {
        somebodyIsHeard(now);
        Lease known = leases.get(node);
        if (known == null || known.session < session) {
            leases.put(node, new Lease(session, now));
            ended.remove(node);
        }
    }

    public synchronized Hearing heard(NodeId node, long session, long sequence, long now) {
        somebodyIsHeard(now);
        Lease known = leases.get(node);
        if (known == null) {
            return ended.getOrDefault(node, 0L) >= session ? Hearing.ENDED : Hearing.UNKNOWN;
        }
        if (session != known.session) {
            return session < known.session ? Hearing.ENDED : Hearing.UNKNOWN;
        }
        if (sequence <= known.sequence) {
            return Hearing.REPEATED;
        }
        known.sequence = sequence;
        known.countsFrom = now;
        known.heardAt = now;
        return Hearing.ALIVE;
    }

    /** All leases as they stand; who is over is not lost until {@link #end}. */
    synchronized LeaseSurvey survey(long now) {
        boolean late = now - lastSweep > latestSweep;
        lastSweep = now;
        if (late) {
            restartAll(now);
        }
        List<LeaseSurvey.Standing> standings = new ArrayList<>(leases.size());
        leases.forEach((node, held) -> {
            boolean over = now - held.countsFrom > lease;
            boolean quiet = !over && now - held.heardAt > overdue;
            standings.add(new LeaseSurvey.Standing(node, held.session, held.heardAt, over, quiet));
        });
        return new LeaseSurvey(now, standings, now - lastHeardAny <= silence, restartedAt);
    }

    /** The session is over; false if the node has been heard since it was said to be. */
    synchronized boolean end(ExpiredLease expired, long now) {
        Lease known = leases.get(expired.node());
        if (known == null || known.session != expired.session() || now - known.countsFrom <= lease) {
            return false;
        }
        leases.remove(expired.node());
        ended.put(expired.node(), expired.session());
        return true;
    }

    public synchronized boolean alive(NodeId node) {
        return leases.containsKey(node);
    }

    /** Nanoseconds since the node was last heard; empty without a lease. */
    public synchronized OptionalLong silentNanos(NodeId node, long now) {
        Lease known = leases.get(node);
        return known == null ? OptionalLong.empty() : OptionalLong.of(now - known.heardAt);
    }

    public synchronized int living() {
        return leases.size();
    }

    private void somebodyIsHeard(long now) {
        if (now - lastHeardAny > silence) {
            restartAll(now);
        }
        lastHeardAny = Math.max(lastHeardAny, now);
    }

    private void restartAll(long now) {
        restartedAt = now;
        leases.values().forEach(held -> held.countsFrom = now);
    }

    private static final class Lease {

        final long session;
        long sequence = Long.MIN_VALUE;
        long countsFrom;
        long heardAt;

        Lease(long session, long now) {
            this.session = session;
            this.countsFrom = now;
            this.heardAt = now;
        }
    }
}

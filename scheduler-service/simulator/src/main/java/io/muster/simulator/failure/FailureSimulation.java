package io.muster.simulator.failure;

import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * One job on a virtual clock. Nodes fail as planned; whether they are known to have failed, who replaces them and which
 * checkpoint is left decides how long training stands still.
 *
 * <pre>
 *            a member fails          all lost members are known         whole again
 * training ----------------> DETECT ------------------> DECIDE, REPLACE ----------> PREFLIGHT ... FIRST_STEP -> training
 *                              ^                           |      ^                     |
 *                              |  a member fails           v      | a node is back      |
 *                              +-------- anywhere ------- WAIT ---+                     |
 *                              +--------------------------------------------------------+
 * </pre>
 *
 * A further loss during recovery begins again at DETECT (the evidence barrier waits for all). Without enough nodes the
 * wounded gang keeps what it has for the repair wait, then it is queued whole. A replacement that is dead but not yet known
 * to be is found out by its own detection. After every event: time is booked completely, and training runs only on a whole
 * gang of nodes that are all up. A violation ends the run with an exception.
 */
final class FailureSimulation {

    private static final long NEVER = Long.MAX_VALUE;

    /** What a moment brings for a node; in this order where several fall on one. */
    private enum Turn {
        BACK,
        WARNING_OVER,
        LOSS_KNOWN
    }

    private record Due(long at, Turn turn, int node) implements Comparable<Due> {

        @Override
        public int compareTo(Due other) {
            int order = Long.compare(at, other.at);
            order = order == 0 ? turn.compareTo(other.turn) : order;
            return order == 0 ? Integer.compare(node, other.node) : order;
        }
    }

    private final FailureSettings settings;
    private final List<Hit> hits;
    private final TrainingCluster cluster;
    private final Ledger ledger = new Ledger();
    private final Training training;
    private final SplittableRandom durations;
    private final PriorityQueue<Due> due = new PriorityQueue<>();
    private final BitSet down = new BitSet();
    private final BitSet unknown = new BitSet();
    private final long[] backAt;
    private final long[] warnedUntil;
    private final long[] memoryLostAt;
    private final Map<Cause, Long> interruptions = new EnumMap<>(Cause.class);
    private final Map<Cause, Long> counted = new EnumMap<>(Cause.class);

    private long now;
    private Phase phase = Phase.USEFUL;
    private long phaseEnds = NEVER;
    private long repairWaitEnds = NEVER;
    private long stoppedAt;
    private long lossesDuringRecovery;
    private long exhausted;
    private long queuedWhole;
    private long fromStore;

    private FailureSimulation(FailureSettings settings, long seed) {
        this.settings = settings;
        this.hits = FaultPlan.of(settings, seed);
        this.cluster = TrainingCluster.started(settings.cluster());
        Chance chance = new Chance(seed);
        this.durations = chance.stream(Chance.Use.PHASES);
        this.training = new Training(settings.checkpoints(), ledger, chance.stream(Chance.Use.STALLS), copies());
        int nodes = settings.cluster().nodes();
        this.backAt = new long[nodes];
        this.warnedUntil = new long[nodes];
        this.memoryLostAt = new long[nodes];
        Arrays.fill(memoryLostAt, -1);
    }

    /** The same settings and seed give the same outcome to the millisecond. */
    static Outcome run(FailureSettings settings, long seed) {
        return new FailureSimulation(settings, seed).run();
    }

    private Outcome run() {
        int next = 0;
        while (now < settings.millis()) {
            long hitAt = next < hits.size() ? hits.get(next).at() : NEVER;
            long dueAt = due.isEmpty() ? NEVER : due.element().at();
            long until = Math.min(Math.min(hitAt, dueAt), Math.min(phaseEnds, repairWaitEnds));
            pass(Math.min(until, settings.millis()));
            if (now == settings.millis()) {
                break;
            }
            if (phaseEnds == now) {
                phaseOver();
            } else if (repairWaitEnds == now) {
                giveUpRepair();
            } else if (dueAt == now) {
                turn(due.remove());
            } else {
                hit(hits.get(next++));
            }
            sound();
        }
        sound();
        return new Outcome(
                now,
                ledger.byPhase(),
                interruptions,
                lossesDuringRecovery,
                counted,
                exhausted,
                queuedWhole,
                fromStore,
                training.saves());
    }

    private void pass(long until) {
        if (phase == Phase.USEFUL) {
            training.run(now, until);
        } else {
            ledger.book(phase, until - now);
        }
        now = until;
    }

    private void hit(Hit hit) {
        int node = hit.node();
        counted.merge(hit.cause(), 1L, Long::sum);
        long until = now + hit.outMillis();
        if (!hit.cause().takesTheNodeOut()) {
            warnedUntil[node] = Math.max(warnedUntil[node], until);
            due.add(new Due(until, Turn.WARNING_OVER, node));
            cluster.warn(node, true);
            cluster.checked(now);
        } else if (!down.get(node)) {
            down.set(node);
            unknown.set(node);
            memoryLostAt[node] = now;
            backAt[node] = until;
            due.add(new Due(now + hit.detectMillis(), Turn.LOSS_KNOWN, node));
            due.add(new Due(until, Turn.BACK, node));
            if (cluster.inGang(node)) {
                memberLost(hit.cause());
            }
        } else if (hit.cause() != Cause.NODE) {
            backAt[node] = Math.max(backAt[node], until);
            due.add(new Due(until, Turn.BACK, node));
        }
    }

    private void memberLost(Cause cause) {
        if (phase == Phase.USEFUL) {
            interruptions.merge(cause, 1L, Long::sum);
            stoppedAt = now;
            training.goBack(stoppedAt, memoryLostAt);
        } else if (phase != Phase.DETECT) {
            lossesDuringRecovery++;
        }
        enter(Phase.DETECT, NEVER);
    }

    private void turn(Due turn) {
        int node = turn.node();
        switch (turn.turn()) {
            case LOSS_KNOWN -> {
                unknown.clear(node);
                cluster.evict(node);
                cluster.checked(now);
                if (phase == Phase.DETECT && membersUnknown() == 0) {
                    enterDrawn(Phase.DECIDE);
                }
            }
            case BACK -> {
                if (backAt[node] <= now && down.get(node)) {
                    down.clear(node);
                    cluster.readmit(node);
                    roomAppeared();
                }
            }
            case WARNING_OVER -> {
                if (warnedUntil[node] <= now && cluster.warned(node)) {
                    cluster.warn(node, false);
                    roomAppeared();
                }
            }
        }
    }

    private void roomAppeared() {
        if (phase == Phase.WAIT) {
            place();
        } else {
            cluster.checked(now);
        }
    }

    private void phaseOver() {
        switch (phase) {
            case DECIDE -> enterDrawn(Phase.REPLACE);
            case REPLACE -> place();
            case PREFLIGHT -> {
                fromStore += training.goBack(stoppedAt, memoryLostAt) ? 0 : 1;
                enterDrawn(Phase.RESTORE);
            }
            case RESTORE -> enterDrawn(Phase.RECONNECT);
            case RECONNECT -> enterDrawn(Phase.FIRST_STEP);
            case FIRST_STEP -> {
                training.goOn(now, copies());
                enter(Phase.USEFUL, NEVER);
            }
            case USEFUL, STALL, DETECT, WAIT, RECOMPUTE ->
                throw new IllegalStateException(phase + " has no end of its own");
        }
    }

    /** The core replaces the lost members, or places the queued gang; or there are too few nodes. */
    private void place() {
        if (!cluster.decide(now)) {
            if (phase != Phase.WAIT) {
                exhausted++;
                if (cluster.placed() && repairWaitEnds == NEVER) {
                    repairWaitEnds = now + settings.repairWaitMillis();
                }
            }
            enter(Phase.WAIT, NEVER);
            return;
        }
        repairWaitEnds = NEVER;
        if (membersUnknown() > 0) {
            lossesDuringRecovery++;
            enter(Phase.DETECT, NEVER);
        } else {
            enterDrawn(Phase.PREFLIGHT);
        }
    }

    private void giveUpRepair() {
        repairWaitEnds = NEVER;
        queuedWhole++;
        cluster.queueWhole();
        if (phase == Phase.WAIT) {
            place();
        } else {
            enterDrawn(Phase.REPLACE);
        }
    }

    /** Members that are down without the scheduler knowing it. */
    private long membersUnknown() {
        return unknown.stream().filter(cluster::inGang).count();
    }

    private void enterDrawn(Phase entered) {
        enter(entered, now + settings.phases().span(entered).draw(durations));
    }

    private void enter(Phase entered, long ends) {
        phase = entered;
        phaseEnds = ends;
    }

    private PeerCopies copies() {
        return PeerCopies.of(cluster.members(), settings.cluster());
    }

    /** Whatever happens: all time is booked, nothing trained is forgotten, and only a whole gang on live nodes trains. */
    private void sound() {
        require(ledger.total() == now, ledger.total() + " ms are booked");
        long kept = ledger.millis(Phase.USEFUL) + ledger.millis(Phase.RECOMPUTE);
        require(kept == training.trainedEver(), kept + " ms of " + training.trainedEver() + " ms trained are booked");
        if (phase == Phase.USEFUL) {
            require(cluster.whole(), "training on a gang that is not whole");
            require(down.stream().noneMatch(cluster::inGang), "training on a node that is down");
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException("at " + now + " ms: " + otherwise);
        }
    }
}

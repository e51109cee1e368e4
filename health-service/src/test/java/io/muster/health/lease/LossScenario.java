package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeDomains;
import io.muster.contract.node.ProbeOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A cluster in virtual milliseconds: a heartbeat is 1,000, a lease 3,000, a sweep every 250. Nodes beat with a phase of their
 * own and a little jitter; arbiters answer with their next heartbeat but one, as agents do.
 */
final class LossScenario {

    static final long LEASE = 3000;
    private static final long BEAT = 1000;
    private static final long SWEEP = 250;

    private record Heard(String probeId, boolean reached) {}

    private final LeaseJudge leases =
            new LeaseJudge(Duration.ofMillis(LEASE), Duration.ofMillis(BEAT), Duration.ofMillis(SWEEP), 0);
    private final Map<NodeId, Place> places = new TreeMap<>();
    private final Map<NodeId, Long> nextBeat = new TreeMap<>();
    private final Map<NodeId, Long> session = new TreeMap<>();
    private final Map<NodeId, List<Heard>> answers = new TreeMap<>();
    private final Random random;
    private final Sweeper sweeper;
    private int probes;
    private long sequence;
    long now;

    /** Nodes that neither beat nor answer. */
    final Set<NodeId> dead = new TreeSet<>();
    /** Nodes whose heartbeats do not reach us, though they live. */
    final Set<NodeId> unheard = new TreeSet<>();
    /** All that ever were. */
    final Set<NodeId> everUnheard = new TreeSet<>();
    /** Nobody's heartbeat reaches us. */
    boolean deaf;
    /** Arbiters whose probes reach nobody. */
    final Set<NodeId> blind = new TreeSet<>();

    final List<LeaseVerdict> verdicts = new ArrayList<>();
    final List<Long> times = new ArrayList<>();

    LossScenario(long seed, int racks, int nodesPerRack) {
        this(seed, racks, nodesPerRack, 2);
    }

    LossScenario(long seed, int racks, int nodesPerRack, int racksPerPower) {
        random = new Random(seed);
        for (int rack = 1; rack <= racks; rack++) {
            int power = (rack - 1) / racksPerPower + 1;
            for (int n = 1; n <= nodesPerRack; n++) {
                NodeId node = new NodeId("r" + rack + "-n" + n);
                places.put(
                        node,
                        new Place(
                                new NodeDomains("r" + rack, "w" + power, "p1", "local"), "127.1." + rack + "." + n, 7));
                nextBeat.put(node, (long) random.nextInt((int) BEAT));
                session.put(node, 1L);
            }
        }
        Arbitration arbitration =
                new Arbitration(Duration.ofMillis(4 * BEAT), Duration.ofMillis(LEASE), () -> "leaseprobe_" + ++probes);
        sweeper = new Sweeper(
                leases,
                new LossJudge(Duration.ofMillis(LEASE), arbitration),
                arbitration,
                node -> Optional.ofNullable(places.get(node)));
        takesOver();
    }

    void takesOver() {
        sweeper.beginWith(session, nanos(now));
    }

    Collection<NodeId> nodes() {
        return places.keySet();
    }

    List<NodeId> rack(String name) {
        return places.entrySet().stream()
                .filter(entry -> entry.getValue().domains().rack().equals(name))
                .map(Map.Entry::getKey)
                .toList();
    }

    LossScenario runs(long millis) {
        everUnheard.addAll(unheard);
        long end = now + millis;
        for (now += SWEEP; now <= end; now += SWEEP) {
            beats();
            sweep();
        }
        now = end;
        return this;
    }

    /** This process stands still; heartbeats of that time are lost. */
    LossScenario stands(long millis) {
        now += millis;
        nextBeat.replaceAll((node, at) -> Math.max(at, now + random.nextInt((int) BEAT)));
        sweep();
        return this;
    }

    private void sweep() {
        for (LeaseVerdict verdict : sweeper.sweep(nanos(now))) {
            verdicts.add(verdict);
            times.add(now);
        }
    }

    private void beats() {
        for (NodeId node : places.keySet()) {
            while (nextBeat.getOrDefault(node, 0L) <= now) {
                nextBeat.merge(node, BEAT + random.nextInt(40), Long::sum);
                if (!dead.contains(node) && !unheard.contains(node) && !deaf) {
                    beat(node);
                }
            }
        }
    }

    private void beat(NodeId node) {
        Hearing hearing = leases.heard(node, session.getOrDefault(node, 0L), ++sequence, nanos(now));
        if (hearing == Hearing.ENDED) {
            long next = session.merge(node, 1L, Long::sum);
            leases.begin(node, next, nanos(now));
            return;
        }
        for (Heard heard : answers.getOrDefault(node, List.of())) {
            sweeper.answered(node, heard.probeId(), heard.reached());
        }
        List<Heard> found = new ArrayList<>();
        for (ProbeOrder order : sweeper.ordersOf(node)) {
            boolean reached = !dead.contains(order.target()) && !blind.contains(node);
            found.add(new Heard(order.probeId(), reached));
        }
        answers.put(node, found);
    }

    List<LeaseVerdict.Lost> losses() {
        return verdicts.stream()
                .filter(LeaseVerdict.Lost.class::isInstance)
                .map(LeaseVerdict.Lost.class::cast)
                .toList();
    }

    Set<NodeId> lost() {
        Set<NodeId> lost = new TreeSet<>();
        losses().forEach(loss -> loss.nodes().forEach(node -> lost.add(node.node())));
        return lost;
    }

    int namedMoreThanOnce() {
        List<String> all = losses().stream()
                .flatMap(loss -> loss.nodes().stream())
                .map(node -> node.node() + "#" + node.session())
                .toList();
        return all.size() - new HashSet<>(all).size();
    }

    List<String> told() {
        return verdicts.stream()
                .map(verdict -> switch (verdict) {
                    case LeaseVerdict.IncidentOpened opened ->
                        "opened " + opened.missing().size();
                    case LeaseVerdict.Lost loss ->
                        (loss.domain() == null ? "node" : loss.domain().target()) + " "
                                + loss.nodes().size();
                    case LeaseVerdict.IncidentClosed closed -> "closed " + closed.heardAgain() + " " + closed.lost();
                })
                .toList();
    }

    boolean incidentOpen() {
        return sweeper.incidentOpen();
    }

    long lastTime() {
        return times.getLast();
    }

    private static long nanos(long millis) {
        return millis * 1_000_000;
    }
}

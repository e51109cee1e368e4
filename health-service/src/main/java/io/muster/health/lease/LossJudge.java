package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import io.muster.health.lease.LeaseSurvey.Standing;
import io.muster.health.lease.SharedCause.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides what leases that ran out mean. Few at once: each node is lost, or the domain that is gone as a whole. More than
 * 30 % of all nodes, and at least 3, within one lease: an incident of the control plane, in which nobody is lost until
 *
 * <ul>
 *   <li>every node that is not missing has been heard since the gap (the incident's begin, or the last restart of all
 *       leases), and
 *   <li>arbiters cannot reach the missing node.
 * </ul>
 *
 * While nobody is heard, or a missing node can be reached, it stays an incident. A burst is not judged before its last
 * node is known: while silent nodes whose lease still runs could make it a mass or a domain, the verdict waits for them,
 * one lease at most. Not for several threads at once.
 */
final class LossJudge {

    static final int MASS_NODES = 3;
    static final int MASS_PERCENT = 30;

    private final long lease;
    private final Arbitration arbitration;
    /** Nodes judged lost within the last lease: they belong to the burst. */
    private final Map<NodeId, Long> recent = new TreeMap<>();

    private @Nullable Incident incident;

    LossJudge(Duration lease, Arbitration arbitration) {
        this.lease = lease.toNanos();
        this.arbitration = arbitration;
    }

    void beginAnew() {
        incident = null;
        recent.clear();
        arbitration.clear();
    }

    boolean incidentOpen() {
        return incident != null;
    }

    List<LeaseVerdict> judge(LeaseSurvey survey, Places places) {
        long now = survey.now();
        recent.values().removeIf(at -> now - at > lease);
        List<LeaseVerdict> verdicts = new ArrayList<>();
        if (incident == null) {
            outsideIncident(survey, places, verdicts);
        } else {
            insideIncident(incident, survey, places, verdicts);
        }
        for (LeaseVerdict verdict : verdicts) {
            if (verdict instanceof LeaseVerdict.Lost lost) {
                lost.nodes().forEach(node -> recent.put(node.node(), now));
            }
        }
        return verdicts;
    }

    private void outsideIncident(LeaseSurvey survey, Places places, List<LeaseVerdict> verdicts) {
        List<Standing> missing = survey.missing();
        if (missing.isEmpty()) {
            return;
        }
        Set<NodeId> known = new HashSet<>();
        survey.nodes().forEach(node -> known.add(node.node()));
        int before = (int)
                recent.keySet().stream().filter(node -> !known.contains(node)).count();
        int all = survey.nodes().size() + before;
        if (isMass(missing.size() + before, all)) {
            incident = new Incident(survey.now());
            List<Standing> silent = survey.nodes().stream()
                    .filter(node -> node.over() || node.quiet())
                    .toList();
            verdicts.add(new LeaseVerdict.IncidentOpened(expired(silent, survey), before, all));
            return;
        }
        if (!survey.anybodyHeard()) {
            return;
        }
        // a network that loses heartbeats all the time must not put off a verdict for ever
        List<Standing> quiet = missing.stream().anyMatch(node -> survey.now() - node.heardAt() > 2 * lease)
                ? List.of()
                : survey.quiet();
        if (isMass(missing.size() + quiet.size() + before, all)) {
            return;
        }
        Set<NodeId> unsure = nodes(quiet);
        Set<NodeId> silent = nodes(missing);
        silent.addAll(unsure);
        for (Group group : SharedCause.of(silent, livingBut(silent, survey), places, false)) {
            boolean complete = group.nodes().stream().noneMatch(unsure::contains);
            if (complete) {
                verdicts.add(lost(group, missing, survey));
            }
        }
    }

    private void insideIncident(Incident open, LeaseSurvey survey, Places places, List<LeaseVerdict> verdicts) {
        List<Standing> missing = survey.missing();
        open.missed.addAll(nodes(missing));
        arbitration.keepOnly(nodes(missing));
        long gap = Math.max(open.openedAt, survey.restartedAt());
        boolean allHeard = survey.nodes().stream().allMatch(node -> node.over() || node.heardAt() - gap >= 0);
        if (!survey.anybodyHeard() || !allHeard) {
            return;
        }
        if (!missing.isEmpty()) {
            judgeByArbiters(open, survey, missing, places, verdicts);
        }
        Set<NodeId> still = nodes(missing);
        verdicts.forEach(verdict -> {
            if (verdict instanceof LeaseVerdict.Lost lost) {
                lost.nodes().forEach(node -> still.remove(node.node()));
            }
        });
        if (still.isEmpty()) {
            verdicts.add(new LeaseVerdict.IncidentClosed(open.missed.size() - open.lost, open.lost));
            incident = null;
            arbitration.clear();
        }
    }

    private void judgeByArbiters(
            Incident open, LeaseSurvey survey, List<Standing> missing, Places places, List<LeaseVerdict> verdicts) {
        List<NodeId> living = livingBut(nodes(missing), survey);
        List<Standing> outOfReach = new ArrayList<>();
        boolean awaited = false;
        for (Standing node : missing) {
            switch (arbitration.about(node.node(), living, places, survey.now())) {
                case AWAITED -> awaited = true;
                case OUT_OF_REACH -> outOfReach.add(node);
                case WITHIN_REACH -> {}
            }
        }
        if (awaited) {
            return;
        }
        // what can be reached is as good as living: it speaks against a shared cause
        Set<NodeId> lost = nodes(outOfReach);
        for (Group group : SharedCause.of(lost, livingBut(lost, survey), places, true)) {
            verdicts.add(lost(group, outOfReach, survey));
        }
        open.lost += outOfReach.size();
    }

    private static LeaseVerdict lost(Group group, List<Standing> missing, LeaseSurvey survey) {
        List<Standing> nodes = missing.stream()
                .filter(node -> group.nodes().contains(node.node()))
                .toList();
        return new LeaseVerdict.Lost(expired(nodes, survey), group.domain());
    }

    private static boolean isMass(int gone, int all) {
        return gone >= MASS_NODES && gone * 100L > all * (long) MASS_PERCENT;
    }

    private static List<NodeId> livingBut(Set<NodeId> silent, LeaseSurvey survey) {
        return survey.nodes().stream()
                .map(Standing::node)
                .filter(node -> !silent.contains(node))
                .toList();
    }

    private static List<ExpiredLease> expired(List<Standing> missing, LeaseSurvey survey) {
        return missing.stream().map(node -> node.expired(survey.now())).toList();
    }

    private static Set<NodeId> nodes(Collection<Standing> standings) {
        Set<NodeId> nodes = new TreeSet<>();
        standings.forEach(node -> nodes.add(node.node()));
        return nodes;
    }

    private static final class Incident {
        final long openedAt;
        final Set<NodeId> missed = new TreeSet<>();
        int lost;

        Incident(long openedAt) {
            this.openedAt = openedAt;
        }
    }
}

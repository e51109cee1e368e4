package io.muster.health.preflight;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.PreflightReport;
import io.muster.health.check.CheckRules;
import io.muster.health.check.TierACheck.Blames;
import io.muster.health.preflight.PreflightCase.Arbitration;
import io.muster.health.preflight.PreflightRuling.AskArbiter;
import io.muster.health.preflight.PreflightRuling.Decided;
import io.muster.health.preflight.PreflightRuling.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Decides whom a failed preflight is blamed on, once all members have reported or ten seconds have passed. In this order:
 *
 * <ol>
 *   <li>a member whose own check failed, unless the check failed on all members and its cause is shared;
 *   <li>a member that has not reported and has no lease any more;
 *   <li>a member that fails with two peers which reach each other ({@link PairMatrix#lonely});
 *   <li>for every bad pair that is left, a third node tries both ends, and the end that it does not reach is blamed.
 * </ol>
 *
 * Whoever is blamed explains its bad pairs. Without proof nobody is blamed and the ruling says what was seen: the same
 * nodes may be tried again. The order in which reports arrive does not matter.
 */
final class PreflightJudge {

    static final Duration REPORTS_WITHIN = Duration.ofSeconds(10);
    static final Duration ARBITER_WITHIN = Duration.ofSeconds(5);

    private PreflightJudge() {}

    /** Whether a report gives reason to judge. */
    static boolean fails(PreflightReport report) {
        return report.checks().stream().anyMatch(check -> !CheckRules.lets(check))
                || report.pairs().stream().anyMatch(pair -> !pair.reached());
    }

    static PreflightRuling judge(PreflightCase known, Instant now) {
        List<NodeId> silent = known.members().stream()
                .filter(member -> !known.reports().containsKey(member))
                .toList();
        boolean late = !now.isBefore(known.judgedFrom().plus(REPORTS_WITHIN));
        boolean mayCome = known.reports().isEmpty()
                || silent.stream().anyMatch(member -> !known.leaseGone().contains(member));
        if (mayCome && !late) {
            return new Wait(
                    silent.isEmpty() ? "no member has reported yet" : "waiting for the reports of " + names(silent));
        }
        if (known.reports().isEmpty()) {
            return new Decided(
                    Map.of(), "nobody is blamed; no member reported within " + REPORTS_WITHIN.toSeconds() + " s");
        }
        Map<NodeId, String> blamed = ownFailures(known);
        for (NodeId member : silent) {
            if (known.leaseGone().contains(member)) {
                blamed.put(member, "sent no preflight report and lost its lease");
            }
        }
        PairMatrix pairs = PairMatrix.of(known.members(), known.reports()).without(blamed.keySet());
        for (NodeId lonely : pairs.lonely()) {
            blamed.put(lonely, lonelyMessage(lonely, pairs));
        }
        PairMatrix left = pairs.without(blamed.keySet());
        if (left.bad().isEmpty()) {
            return decided(blamed, List.of(), silent, known);
        }
        return arbitrate(known, blamed, left, silent, now);
    }

    private static PreflightRuling arbitrate(
            PreflightCase known, Map<NodeId, String> blamed, PairMatrix left, List<NodeId> silent, Instant now) {
        Set<NodeId> ends = left.ends();
        Arbitration asked = known.arbitration();
        if (asked == null) {
            Optional<NodeId> arbiter = arbiter(known, blamed.keySet(), ends);
            return arbiter.isPresent()
                    ? new AskArbiter(arbiter.get(), List.copyOf(ends))
                    : decided(
                            blamed,
                            List.of("no third node was there to try both ends of " + left.bad()),
                            silent,
                            known);
        }
        if (!asked.complete() && now.isBefore(asked.orderedAt().plus(ARBITER_WITHIN))) {
            return new Wait("waiting for " + asked.arbiter() + " to try " + names(asked.targets()));
        }
        return decided(blamed, byArbiter(blamed, left, asked), silent, known);
    }

    /** Blames the ends that the arbiter did not reach and answers what stays unexplained. */
    private static List<String> byArbiter(Map<NodeId, String> blamed, PairMatrix left, Arbitration asked) {
        if (!asked.reached().containsValue(true)) {
            return List.of(
                    asked.reached().isEmpty()
                            ? asked.arbiter() + " did not answer within " + ARBITER_WITHIN.toSeconds()
                                    + " s whether it reaches the ends of " + left.bad()
                            : asked.arbiter() + " reached no end of " + left.bad()
                                    + ", which says nothing about any of them");
        }
        for (NodeId end : left.ends()) {
            if (Boolean.FALSE.equals(asked.reached().get(end))) {
                blamed.put(end, "not reached by its peer nor by " + asked.arbiter() + ", which reached others");
            }
        }
        List<String> open = new ArrayList<>();
        for (PairMatrix.Pair pair : left.without(blamed.keySet()).bad()) {
            open.add(
                    asked.complete()
                            ? "the link " + pair + ": " + asked.arbiter() + " reached both ends"
                            : asked.arbiter() + " did not answer for both ends of " + pair + " within "
                                    + ARBITER_WITHIN.toSeconds() + " s");
        }
        return open;
    }

    private static Optional<NodeId> arbiter(PreflightCase known, Set<NodeId> blamed, Set<NodeId> ends) {
        Optional<NodeId> outside = known.outsiders().stream()
                .filter(node -> !known.members().contains(node))
                .findFirst();
        return outside.isPresent()
                ? outside
                : known.members().stream()
                        .filter(member -> known.reports().containsKey(member)
                                && !known.leaseGone().contains(member)
                                && !blamed.contains(member)
                                && !ends.contains(member))
                        .findFirst();
    }

    private static Map<NodeId, String> ownFailures(PreflightCase known) {
        Set<String> shared = sharedFailures(known);
        Map<NodeId, String> blamed = new TreeMap<>();
        known.reports().forEach((member, report) -> {
            List<CheckResult> own = report.checks().stream()
                    .filter(CheckRules::keepsOff)
                    .filter(check -> !shared.contains(check.check()))
                    .toList();
            if (!own.isEmpty()) {
                blamed.put(member, CheckRules.describe(own));
            }
        });
        return blamed;
    }

    /** Checks with a possibly shared cause that no member of a gang of two or more passes. */
    static Set<String> sharedFailures(PreflightCase known) {
        if (known.members().size() < 2) {
            return Set.of();
        }
        Set<String> shared = new TreeSet<>();
        for (PreflightReport report : known.reports().values()) {
            for (CheckResult check : report.checks()) {
                if (!CheckRules.lets(check)
                        && CheckRules.blames(check) == Blames.NODE_UNLESS_ALL
                        && known.reports().size() > 1
                        && known.reports().values().stream().allMatch(other -> fails(other, check.check()))) {
                    shared.add(check.check());
                }
            }
        }
        return shared;
    }

    private static boolean fails(PreflightReport report, String check) {
        return report.checks().stream().anyMatch(result -> result.check().equals(check) && !CheckRules.lets(result));
    }

    private static Decided decided(
            Map<NodeId, String> blamed, List<String> open, List<NodeId> silent, PreflightCase known) {
        List<String> said = new ArrayList<>();
        blamed.forEach((node, why) -> said.add(node + ": " + why));
        said.addAll(open);
        for (String check : sharedFailures(known)) {
            said.add(check + " fails on all " + known.reports().size()
                    + " members that reported: the cause is shared, not a node's");
        }
        String notNodes = otherFailures(known);
        if (!notNodes.isEmpty()) {
            said.add(notNodes);
        }
        List<NodeId> unheard =
                silent.stream().filter(member -> !blamed.containsKey(member)).toList();
        if (!unheard.isEmpty()) {
            said.add("no report from " + names(unheard) + " within " + REPORTS_WITHIN.toSeconds() + " s, though alive");
        }
        if (said.isEmpty()) {
            said.add("all " + known.members().size() + " members passed");
        }
        String head = blamed.isEmpty() ? "nobody is blamed; " : "";
        return new Decided(blamed, head + String.join("; ", said));
    }

    private static String otherFailures(PreflightCase known) {
        List<CheckResult> found = known.reports().values().stream()
                .flatMap(report -> report.checks().stream())
                .filter(check -> !CheckRules.lets(check) && CheckRules.blames(check) == Blames.NOBODY)
                .toList();
        return found.isEmpty() ? "" : CheckRules.describe(found) + " (no node's fault)";
    }

    private static String lonelyMessage(NodeId node, PairMatrix pairs) {
        List<String> peers = pairs.bad().stream()
                .filter(pair -> pair.touches(List.of(node)))
                .map(pair -> pair.otherThan(node).value())
                .toList();
        return "no connection with " + peers.size() + " peers (" + String.join(", ", peers)
                + "), of which some reach each other";
    }

    private static String names(List<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).collect(Collectors.joining(", "));
    }
}

package io.muster.health.check;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.health.check.TierACheck.Blames;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What check results mean for work on a node. A check of tier A is required whatever its result says; of other checks
 * the result's own flag counts. FAIL and UNKNOWN of a required check keep work off.
 */
public final class CheckRules {

    /** Of one failure's text, in characters. */
    private static final int LONGEST = 300;

    private CheckRules() {}

    public static boolean lets(CheckResult result) {
        boolean required = result.required() || TierACheck.named(result.check()).isPresent();
        return switch (result.status()) {
            case PASS, WARN, SKIPPED -> true;
            case FAIL, UNKNOWN -> !required;
        };
    }

    /** Whether the result alone speaks against the node it was taken on. */
    public static boolean speaksAgainstNode(CheckResult result) {
        return keepsOff(result) && blames(result) == Blames.NODE;
    }

    /**
     * Whether it keeps work off a node that is looked at by itself, outside of any gang. A check that health-service
     * makes itself never ends UNKNOWN here, so an agent's UNKNOWN of it says only that the agent could not ask us.
     */
    public static boolean keepsOff(CheckResult result) {
        boolean ours = TierACheck.named(result.check())
                .filter(check -> check.runs() == TierACheck.Runs.HERE)
                .isPresent();
        return !lets(result)
                && !(ours && result.status() == CheckStatus.UNKNOWN)
                && switch (blames(result)) {
                    case NODE, NODE_UNLESS_ALL -> true;
                    case JUDGED_BY_PAIRS, NOBODY -> false;
                };
    }

    public static Blames blames(CheckResult result) {
        return TierACheck.named(result.check()).map(TierACheck::blames).orElse(Blames.NODE);
    }

    /** One result per check; of two the worse counts, because a check that we and the agent made must pass twice. */
    public static Map<String, CheckResult> worst(List<CheckResult> results) {
        Map<String, CheckResult> byName = new TreeMap<>();
        for (CheckResult result : results) {
            byName.merge(result.check(), result, (one, other) -> rank(other) > rank(one) ? other : one);
        }
        return byName;
    }

    /** For a hold or a blame: each failure with its numbers. */
    public static String describe(Collection<CheckResult> failures) {
        List<CheckResult> found = worst(List.copyOf(failures)).values().stream().toList();
        String each = found.stream()
                .map(result -> result.check()
                        + (result.status() == CheckStatus.UNKNOWN ? " could not run: " : ": ")
                        + result.message()
                                .substring(0, Math.min(LONGEST, result.message().length())))
                .collect(Collectors.joining("; "));
        return (found.size() == 1
                        ? "1 required check does not pass: "
                        : found.size() + " required checks do not pass: ")
                + each;
    }

    private static int rank(CheckResult result) {
        return switch (result.status()) {
            case PASS -> 0;
            case SKIPPED -> 1;
            case WARN -> 2;
            case UNKNOWN -> 3;
            case FAIL -> 4;
        };
    }
}

package io.muster.health.check;

import io.muster.contract.node.CheckResult;
import io.muster.health.check.TierACheck.Runs;
import io.muster.health.hold.HoldBook;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One look at a node: what it was asked and what it has answered. Only results that the agent took at or after the asking
 * count, both by the agent's own clock, so that no earlier pass speaks against later evidence.
 *
 * @param holds what was open when it was asked
 * @param since the agent's time when it was asked
 */
public record CheckRound(HoldBook holds, Instant since, Map<String, CheckResult> results) {

    public CheckRound {
        results = Map.copyOf(results);
    }

    public static CheckRound asked(HoldBook holds, Instant agentTime) {
        return new CheckRound(holds, agentTime, Map.of());
    }

    /** For a node that has just joined: all that it says is from this life. */
    public static CheckRound ofNewNode(HoldBook holds) {
        return asked(holds, Instant.MIN);
    }

    public CheckRound with(List<CheckResult> answers) {
        Map<String, CheckResult> more = new TreeMap<>(results);
        for (CheckResult answer : answers) {
            CheckResult known = more.get(answer.check());
            if (!answer.at().isBefore(since) && (known == null || !answer.at().isBefore(known.at()))) {
                more.put(answer.check(), answer);
            }
        }
        return new CheckRound(holds, since, more);
    }

    /** Whether nothing was opened or renewed since the checks were asked for. */
    public boolean speaksTo(HoldBook now) {
        return holds.open().containsAll(now.open());
    }

    /** Checks of the agent that have not been answered, by name. */
    public List<String> missing() {
        return Arrays.stream(TierACheck.values())
                .filter(check -> check.runs() == Runs.ALWAYS)
                .map(TierACheck::checkName)
                .filter(name -> !results.containsKey(name))
                .sorted()
                .toList();
    }

    /**
     * The outcome once all are answered: empty while some are missing; else what does not pass, in it or among our own.
     */
    public Optional<List<CheckResult>> failures(List<CheckResult> ours) {
        if (!missing().isEmpty()) {
            return Optional.empty();
        }
        List<CheckResult> all = new ArrayList<>(results.values());
        all.addAll(ours);
        return Optional.of(CheckRules.worst(all).values().stream()
                .filter(CheckRules::keepsOff)
                .toList());
    }
}

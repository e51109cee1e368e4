package io.muster.health.heartbeat;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.NodeFacts;
import io.muster.health.check.CheckRound;
import io.muster.health.check.CheckRules;
import io.muster.health.check.ClockOffset;
import io.muster.health.check.FactChecks;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.node.FactsIntake;
import io.muster.health.node.NodeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One session of a node in the judge's memory: which checks it was asked for, how they stand, how far its clock is off.
 * All of it can be lost: a new judge asks again. Not for several threads at once, except {@link #learn}.
 */
final class NodeWatch {

    /** A node that is asked to run its checks is not asked again sooner. */
    private static final long ASK_AGAIN = Duration.ofSeconds(10).toNanos();

    private final Object recordLock = new Object();
    private final String minimumAgentVersion;
    private final Map<String, CheckResult> failing = new TreeMap<>();
    private Map<String, String> toldFailing = Map.of();
    private ClockOffset clock = ClockOffset.NONE;
    private @Nullable CheckRound round;
    private boolean mayAsk = true;
    private boolean used;
    private long askedAt;
    private volatile NodeRecord record;

    private NodeWatch(NodeRecord record, String minimumAgentVersion, @Nullable CheckRound round) {
        this.record = record;
        this.minimumAgentVersion = minimumAgentVersion;
        this.round = round;
    }

    /** A session that is known from the database only. */
    static NodeWatch ofStored(NodeRecord record, String minimumAgentVersion) {
        return new NodeWatch(record, minimumAgentVersion, null);
    }

    /** A session that has just begun; if the node has just joined, its first checks need no asking. */
    static NodeWatch ofRegistered(NodeRecord record, String minimumAgentVersion) {
        boolean joined = record.holds()
                .find(HoldCause.ADMISSION, record.node().value())
                .filter(admission -> admission.hold().session() == record.session())
                .isPresent();
        return new NodeWatch(record, minimumAgentVersion, joined ? CheckRound.ofNewNode(record.holds()) : null);
    }

    NodeRecord record() {
        return record;
    }

    /** Whether it was told that the node has this session. */
    boolean used() {
        return used;
    }

    void markUsed() {
        used = true;
    }

    /** A change was committed; two commits may be told in any order. */
    void learn(NodeRecord changed) {
        synchronized (recordLock) {
            if (changed.sequence() >= record.sequence()) {
                record = changed;
            }
        }
    }

    Finding hear(Heartbeat beat, Instant now) {
        NodeRecord known = record;
        NodeFacts facts = beat.facts() == null ? null : FactsIntake.inOurTime(beat.facts(), beat.agentTime(), now);
        clock = clock.with(beat.agentTime(), now);
        List<CheckResult> ours = ours(facts == null ? known.facts() : facts, known.inventoryGpus(), now);
        List<CheckResult> all = new ArrayList<>(beat.checks());
        all.addAll(ours);
        CheckRules.worst(all).values().forEach(this::note);

        HoldBook passedFor = judgeRound(beat.checks(), ours);
        boolean news = !failing.isEmpty() && !statuses().equals(toldFailing);
        return new Finding(known.session(), facts, news ? List.copyOf(failing.values()) : List.of(), passedFor);
    }

    /** The holds that speak against are answered by what has passed; null if nothing is decided or something fails. */
    private @Nullable HoldBook judgeRound(List<CheckResult> answers, List<CheckResult> ours) {
        if (round == null) {
            return null;
        }
        CheckRound answered = round.with(answers);
        round = answered;
        boolean stillOpen = !clock.settled()
                || failing.keySet().stream()
                        .anyMatch(check -> !answered.results().containsKey(check)
                                && ours.stream().noneMatch(own -> own.check().equals(check)));
        Optional<List<CheckResult>> failures = stillOpen ? Optional.empty() : answered.failures(ours);
        if (failures.isEmpty()) {
            return null;
        }
        if (failures.get().isEmpty()) {
            return answered.holds();
        }
        failures.get().forEach(result -> failing.put(result.check(), result));
        round = null;
        return null;
    }

    /** The finding is in the database. */
    void written(Finding finding) {
        if (finding.passedFor() != null) {
            round = null;
            failing.clear();
            mayAsk = true;
        }
        toldFailing = statuses();
    }

    /** What a preflight found; its hold is open already. */
    void tellFailing(List<CheckResult> found) {
        found.forEach(result -> failing.put(result.check(), result));
        toldFailing = statuses();
    }

    /** Whether the answer asks the agent to run its checks. */
    boolean asksForChecks(Instant agentTime, Instant now, long nanos) {
        NodeRecord known = record;
        if (!known.holds().wantsChecks(known.session(), known.vetoed(), now)) {
            round = null;
            return false;
        }
        if (round != null && !round.speaksTo(known.holds())) {
            // a hold was opened since: earlier passes say nothing about it
            round = null;
            mayAsk = true;
        }
        if (!mayAsk && nanos - askedAt < ASK_AGAIN) {
            return false;
        }
        if (round == null) {
            round = CheckRound.asked(known.holds(), agentTime);
        }
        mayAsk = false;
        askedAt = nanos;
        return true;
    }

    /** The checks that we make ourselves, as they stand. */
    List<CheckResult> ownResults(Instant now) {
        NodeRecord known = record;
        return ours(known.facts(), known.inventoryGpus(), now);
    }

    private List<CheckResult> ours(NodeFacts facts, int inventory, Instant now) {
        List<CheckResult> results = new ArrayList<>(FactChecks.of(facts, inventory, minimumAgentVersion, now));
        if (clock.settled()) {
            results.add(clock.judge(now));
        }
        return results;
    }

    private void note(CheckResult result) {
        if (CheckRules.lets(result)) {
            failing.remove(result.check());
        } else if (CheckRules.keepsOff(result)) {
            failing.put(result.check(), result);
        }
    }

    private Map<String, String> statuses() {
        Map<String, String> statuses = new TreeMap<>();
        failing.forEach((check, result) -> statuses.put(check, result.status().name()));
        return statuses;
    }
}

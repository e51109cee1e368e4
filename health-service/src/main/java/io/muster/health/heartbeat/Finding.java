package io.muster.health.heartbeat;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeFacts;
import io.muster.health.check.CheckRules;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.node.NodeRecord;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a heartbeat changes about its node.
 *
 * @param session whose heartbeat it was; a later life of the node is not touched by it
 * @param facts new facts in our time, or null
 * @param failing required checks that speak against the node, if that is news; else empty
 * @param passedFor the holds when the checks were asked for that have all passed now; null: none passed
 */
record Finding(
        long session,
        @Nullable NodeFacts facts,
        List<CheckResult> failing,
        @Nullable HoldBook passedFor) {

    Finding {
        failing = List.copyOf(failing);
    }

    boolean changesNothing() {
        return facts == null && failing.isEmpty() && passedFor == null;
    }

    String because() {
        if (passedFor != null) {
            return "all checks of session " + session + " passed";
        }
        return failing.isEmpty() ? "facts changed" : CheckRules.describe(failing);
    }

    NodeRecord applyTo(NodeRecord before, Supplier<String> newId, Instant now) {
        if (before.session() != session || before.sessionEnded()) {
            return before;
        }
        NodeRecord seen = facts == null ? before : before.withFacts(facts, now);
        HoldBook holds = seen.holds();
        if (passedFor != null) {
            holds = holds.afterPassedChecks(passedFor, session, seen.vetoed(), now);
        }
        if (!failing.isEmpty()) {
            holds = holds.with(
                    HoldOpening.byHealth(
                            HoldCause.CHECK_FAILED, seen.node().value(), CheckRules.describe(failing), session),
                    newId,
                    now);
        }
        for (GpuFacts gpu : seen.facts().gpus()) {
            String target = seen.gpuTarget(gpu.index());
            if (gpu.vetoed() && holds.find(HoldCause.GPU_VETOED, target).isEmpty()) {
                holds = holds.with(
                        HoldOpening.byHealth(
                                HoldCause.GPU_VETOED,
                                target,
                                "the agent took GPU " + gpu.index() + " (" + gpu.uuid() + ") of " + seen.node()
                                        + " out of use",
                                session),
                        newId,
                        now);
            }
        }
        return seen.with(holds);
    }
}

package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.MemberPhase;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An attempt on this node as a decision sees it.
 *
 * @param gpus what it was given here; null: not known, it may be any
 * @param forgettable it is gone, that was told and taken, and nothing of it is on its way any more
 */
record LocalAttempt(
        AttemptKey key, MemberPhase phase, @Nullable List<Integer> gpus, boolean forgettable) {

    boolean ending() {
        return phase == MemberPhase.STOPPING || phase == MemberPhase.GONE;
    }

    /** A process of it may still be on one of these GPUs. */
    boolean mayUse(List<Integer> wanted) {
        return phase != MemberPhase.GONE && (gpus == null || !Collections.disjoint(gpus, wanted));
    }
}

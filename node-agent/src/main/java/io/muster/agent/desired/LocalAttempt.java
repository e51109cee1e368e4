package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.MemberPhase;

/**
 * An attempt on this node as a decision sees it.
 *
 * @param forgettable it is gone, that was told and taken, and nothing of it is on its way any more
 */
record LocalAttempt(AttemptKey key, MemberPhase phase, boolean forgettable) {

    boolean ending() {
        return phase == MemberPhase.STOPPING || phase == MemberPhase.GONE;
    }
}

package io.muster.health.hold;

import io.muster.contract.node.Hold;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A hold as others see it, and when passed checks may lift it at the earliest. */
public record OpenHold(HoldCause cause, Hold hold, @Nullable Instant notBefore) {

    boolean sameMatter(HoldOpening opening) {
        return cause == opening.cause()
                && hold.target().equals(opening.target())
                && hold.owner().equals(opening.owner());
    }

    boolean expired(Instant now) {
        return hold.expiresAt() != null && !hold.expiresAt().isAfter(now);
    }

    /** Whether checks passed now, under this session, speak against the hold's evidence. */
    boolean answeredByChecks(long session, Instant now) {
        return hold.owner().equals(HoldBook.HEALTH)
                && cause.liftedByChecks()
                && hold.session() <= session
                && (notBefore == null || !now.isBefore(notBefore));
    }
}

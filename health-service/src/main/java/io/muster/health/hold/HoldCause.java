package io.muster.health.hold;

import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;

/** Why a hold is open: its stable code, what it forbids, and whether passed checks may lift it. */
public enum HoldCause {
    /** A new node, until its first checks have passed. */
    ADMISSION(HoldScope.NODE, HoldEffect.NO_NEW_WORK, true),
    /** A required check failed or could not run. */
    CHECK_FAILED(HoldScope.NODE, HoldEffect.NO_NEW_WORK, true),
    /** The node was blamed for a gang's failed preflight. */
    PREFLIGHT_FAILED(HoldScope.NODE, HoldEffect.NO_NEW_WORK, true),
    /** The agent was silent for longer than its lease. */
    LEASE_EXPIRED(HoldScope.NODE, HoldEffect.EVICT, true),
    /** The node was lost together with others of its rack, power or pod. */
    DOMAIN_LOST(HoldScope.DOMAIN, HoldEffect.EVICT, true),
    /** The node was lost by itself for the third time in a day: a person looks before it comes back. */
    FLAPPING(HoldScope.NODE, HoldEffect.NO_NEW_WORK, false),
    /** The agent took one GPU out by itself. */
    GPU_VETOED(HoldScope.GPU, HoldEffect.NO_NEW_WORK, true),
    /** A person keeps new work off. */
    CORDONED(HoldScope.NODE, HoldEffect.NO_NEW_WORK, false);

    private final HoldScope scope;
    private final HoldEffect effect;
    private final boolean liftedByChecks;

    HoldCause(HoldScope scope, HoldEffect effect, boolean liftedByChecks) {
        this.scope = scope;
        this.effect = effect;
        this.liftedByChecks = liftedByChecks;
    }

    public HoldScope scope() {
        return scope;
    }

    public HoldEffect effect() {
        return effect;
    }

    public boolean liftedByChecks() {
        return liftedByChecks;
    }
}

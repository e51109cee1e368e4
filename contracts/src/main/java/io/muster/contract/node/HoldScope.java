package io.muster.contract.node;

/** What a hold is on. */
public enum HoldScope {
    GPU,
    NODE,
    DOMAIN
}

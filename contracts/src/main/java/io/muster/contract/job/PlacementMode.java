package io.muster.contract.job;

/** Whether the wanted domain is a condition or a wish. */
public enum PlacementMode {
    REQUIRED,
    PREFERRED
}

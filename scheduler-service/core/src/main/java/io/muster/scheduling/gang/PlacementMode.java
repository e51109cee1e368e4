package io.muster.scheduling.gang;

/** Whether the wanted domain is a condition or a wish. */
public enum PlacementMode {
    REQUIRED,
    PREFERRED
}

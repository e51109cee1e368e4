package io.muster.scheduling.placement;

/** Under which circumstances room is counted. */
public enum Outlook {
    /** As things are. */
    NOW,
    /** As if every hold were lifted and no node had failed for the job; what others use, and spares, stay out. */
    ALL_HEALTHY,
    /** As if, moreover, nobody used a GPU and no node were a spare: what does not fit then never fits this cluster. */
    ALL_FREE
}

package io.muster.edge.identity;

/** What the holder of an API key may do. */
public enum Role {
    /** Reads its tenant. */
    VIEWER,
    /** Also submits and cancels in its projects. */
    ENGINEER,
    /** Reads everything; changes nodes and holds. */
    SRE,
    /** Reads and changes everything of every tenant. */
    ADMIN
}

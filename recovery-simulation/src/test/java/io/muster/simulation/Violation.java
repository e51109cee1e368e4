package io.muster.simulation;

/** What must never be, was. */
public final class Violation extends Error {

    private static final long serialVersionUID = 1;

    Violation(String what) {
        super(what, null, false, false);
    }
}

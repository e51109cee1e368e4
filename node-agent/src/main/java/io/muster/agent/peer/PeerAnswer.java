package io.muster.agent.peer;

import java.util.Objects;

/**
 * @param code OK, HELD (nothing needs to be sent), or why not: NOT_A_MEMBER, NOT_YOURS, NOT_HELD, DAMAGED, BUSY, FULL, TOO_LARGE, BROKEN
 * @param sha256 KEEP: of what is held here, read back; FETCH: of what follows, as its label says; empty if refused
 * @param proof that the answerer knows the job's key; empty for a stranger
 */
record PeerAnswer(String code, String message, String sha256, String proof) {

    PeerAnswer {
        Objects.requireNonNull(code);
        Objects.requireNonNull(sha256);
        Objects.requireNonNull(proof);
    }

    static final String OK = "OK";
    static final String HELD = "HELD";
    static final String NOT_HELD = "NOT_HELD";
    static final String DAMAGED = "DAMAGED";

    boolean ok() {
        return code.equals(OK);
    }

    /** Everything that the proof is about; bound to the question by its nonce. */
    String words(String nonce) {
        return String.join("\n", "ANSWER", code, sha256, nonce);
    }
}

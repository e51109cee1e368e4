package io.muster.agent.peer;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A new challenge for every conversation, which nobody can foresee: made from a secret of this agent's life and a count,
 * so that greeting a peer waits for no source of randomness that others use at the same time.
 */
final class Challenges {

    private final String secret;
    private final AtomicLong count = new AtomicLong();

    Challenges() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        secret = HexFormat.of().formatHex(bytes);
    }

    String next() {
        return PeerProof.of(secret, Long.toString(count.incrementAndGet()), "challenge")
                .substring(0, 32);
    }
}

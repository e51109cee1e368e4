package io.muster.health.registry;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Makes join tokens of 256 random bits; only their SHA-256 is kept, which needs no salt at that length. */
final class JoinSecrets {

    private static final int BYTES = 32;

    private final RandomGenerator random;

    JoinSecrets(RandomGenerator random) {
        this.random = random;
    }

    String next() {
        byte[] secret = new byte[BYTES];
        random.nextBytes(secret);
        return "join_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}

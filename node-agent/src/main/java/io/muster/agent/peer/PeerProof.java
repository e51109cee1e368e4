package io.muster.agent.peer;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Shows that a member knows the key of a job without saying it: HMAC-SHA256 over the words and the challenge of the
 * other side. Compared in constant time; an empty key proves nothing.
 */
final class PeerProof {

    private static final String ALGORITHM = "HmacSHA256";

    private PeerProof() {}

    static String of(String key, String challenge, String words) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            byte[] proof = mac.doFinal((challenge + "\n" + words).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(proof);
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    static boolean holds(String key, String challenge, String words, String proof) {
        return !key.isEmpty()
                && MessageDigest.isEqual(
                        of(key, challenge, words).getBytes(StandardCharsets.UTF_8),
                        proof.getBytes(StandardCharsets.UTF_8));
    }
}

package io.muster.job.submission;

import io.muster.contract.id.TenantId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.databind.JsonNode;

/** A submitter's own name for one submission, valid for its tenant, and the fingerprint of what was sent with it. */
record IdempotencyKey(TenantId tenant, String key, String fingerprint) {

    private static final int LONGEST = 128;

    static boolean isOne(String key) {
        return !key.isEmpty() && key.length() <= LONGEST && key.chars().allMatch(c -> c > ' ' && c < 127);
    }

    static IdempotencyKey of(TenantId tenant, String key, JsonNode payload) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(payload.toString().getBytes(StandardCharsets.UTF_8));
            return new IdempotencyKey(tenant, key, HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret by which the members of one job know each other when they copy or fetch shards: one for all its attempts, so
 * that a gang placed anew can fetch from nodes that it has left. It is worked out anew from
 * the services' secret whenever a task is shown to an agent, and kept nowhere: neither in the database nor in an event, a
 * log or a timeline.
 */
final class PeerKeys {

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;

    PeerKeys(byte[] serviceSecret) {
        this.secret = new SecretKeySpec(serviceSecret, ALGORITHM);
    }

    /** Lower-case hex; of one job the same for all members of all attempts, of two jobs never the same. */
    String of(JobId job) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            byte[] key = mac.doFinal(("peer/" + job.value()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(key);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(ALGORITHM + " is part of every Java", impossible);
        }
    }

    @Override
    public String toString() {
        return "PeerKeys";
    }
}

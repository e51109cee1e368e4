package io.muster.gateway.access;

import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The SHA-256 of a secret; compared in constant time. */
final class SecretHash {

    private final byte[] bytes;

    SecretHash(byte[] bytes) {
        if (bytes.length != 32) {
            throw new IllegalArgumentException("a SHA-256 has 32 bytes, not " + bytes.length);
        }
        this.bytes = bytes.clone();
    }

    byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SecretHash that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "SecretHash";
    }
}

package io.muster.gateway.access;

import io.muster.edge.id.Ids;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a person holds: {@code mk_<part of the key's id>_<32 random bytes in base 62>}. The first part finds the key, the
 * second proves it. Kept nowhere; the database has the hash of the whole text. Never printed: {@link #toString()} shows
 * the id only.
 */
public final class ApiKeySecret {

    private static final Pattern FORM = Pattern.compile("mk_([0-9a-z]{8,40})_([0-9A-Za-z]{43})");
    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());
    private static final int RANDOM_BYTES = 32;
    private static final int RANDOM_DIGITS = 43;

    private final String value;
    private final KeyId keyId;

    private ApiKeySecret(String value, KeyId keyId) {
        this.value = value;
        this.keyId = keyId;
    }

    /** A new secret with a new key id, for the launcher and the bootstrap file. */
    public static ApiKeySecret generate() {
        SecureRandom random = new SecureRandom();
        return generate(new Ids(Clock.systemUTC(), random), random);
    }

    static ApiKeySecret generate(Ids ids, SecureRandom random) {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        KeyId keyId = new KeyId(ids.newId("key"));
        String part = keyId.value().substring("key_".length());
        return new ApiKeySecret("mk_" + part + "_" + base62(bytes), keyId);
    }

    /** Empty for anything that is not of the form of a secret. */
    public static Optional<ApiKeySecret> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new ApiKeySecret(text, new KeyId("key_" + matcher.group(1))))
                : Optional.empty();
    }

    /** The secret itself, to be shown once. */
    public String value() {
        return value;
    }

    public KeyId keyId() {
        return keyId;
    }

    SecretHash hash() {
        try {
            return new SecretHash(
                    MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static String base62(byte[] bytes) {
        StringBuilder digits = new StringBuilder();
        BigInteger rest = new BigInteger(1, bytes);
        for (int i = 0; i < RANDOM_DIGITS; i++) {
            BigInteger[] divided = rest.divideAndRemainder(BASE);
            digits.append(DIGITS.charAt(divided[1].intValue()));
            rest = divided[0];
        }
        return digits.reverse().toString();
    }

    @Override
    public String toString() {
        return "ApiKeySecret[" + keyId + "]";
    }
}

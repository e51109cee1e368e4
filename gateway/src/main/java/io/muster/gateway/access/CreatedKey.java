package io.muster.gateway.access;

/**
 * The only answer that ever has the secret.
 *
 * @param secret to be sent as {@code Authorization: Bearer <secret>}; it cannot be shown again
 */
record CreatedKey(KeyView key, String secret) {

    @Override
    public String toString() {
        return "CreatedKey[" + key.id() + "]";
    }
}

package io.muster.gateway.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Decides what a presented secret is worth. Throws when the database is away and the key was not looked up a moment
 * ago.
 */
@Service
public class KeyVerifier {

    private static final Duration USE_IS_NOTED_EVERY = Duration.ofMinutes(10);

    private final ApiKeyRepository keys;
    private final KeyCache cache;
    private final TransactionTemplate transactions;
    private final Clock clock;

    KeyVerifier(ApiKeyRepository keys, KeyCache cache, TransactionTemplate transactions, Clock clock) {
        this.keys = keys;
        this.cache = cache;
        this.transactions = transactions;
        this.clock = clock;
    }

    public KeyVerdict verify(String presented) {
        Optional<ApiKeySecret> secret = ApiKeySecret.parse(presented);
        if (secret.isEmpty()) {
            return new KeyVerdict.Unknown();
        }
        Instant now = clock.instant();
        KeyId id = secret.get().keyId();
        Optional<ApiKey> key =
                cache.get(id, now, () -> keys.findById(id.value()).map(ApiKeyRow::toKey));
        if (key.isEmpty()) {
            return new KeyVerdict.Unknown();
        }
        KeyVerdict verdict = key.get().judge(secret.get(), now);
        if (verdict instanceof KeyVerdict.Accepted) {
            noteUse(key.get(), now);
        }
        return verdict;
    }

    private void noteUse(ApiKey key, Instant now) {
        Instant before = now.minus(USE_IS_NOTED_EVERY);
        if (key.lastUsedAt() == null || key.lastUsedAt().isBefore(before)) {
            transactions.executeWithoutResult(status -> keys.used(key.id().value(), now, before));
            cache.forget(key.id());
        }
    }
}

package io.muster.gateway.access;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Keys looked up a moment ago, so that a request seldom costs a query. An entry lives a few seconds and no longer, also
 * while the database is away: then nobody new gets in. That there is no such key is remembered too. The least recently
 * used entries go first.
 */
@Component
class KeyCache {

    private static final int MAX_ENTRIES = 4_096;

    private final Duration life;
    private final Map<KeyId, Remembered> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<KeyId, Remembered> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    private record Remembered(Optional<ApiKey> key, Instant readAt) {}

    KeyCache(AccessSettings settings) {
        this.life = settings.keyCacheLife();
    }

    Optional<ApiKey> get(KeyId id, Instant now, Supplier<Optional<ApiKey>> query) {
        synchronized (entries) {
            Remembered entry = entries.get(id);
            if (entry != null && !now.isBefore(entry.readAt) && now.isBefore(entry.readAt.plus(life))) {
                return entry.key;
            }
        }
        // read outside of the lock; the age counts from before the query, so a revocation meanwhile is not hidden
        // longer
        Optional<ApiKey> key = query.get();
        synchronized (entries) {
            entries.put(id, new Remembered(key, now));
        }
        return key;
    }

    void forget(KeyId id) {
        synchronized (entries) {
            entries.remove(id);
        }
    }
}

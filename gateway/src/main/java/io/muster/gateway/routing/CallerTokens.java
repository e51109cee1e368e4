package io.muster.gateway.routing;

import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * The signed token that stands for a caller behind the gateway; used again until half of its life is over, because
 * signing costs more than the rest of a request. A caller whose rights changed is another caller and gets another token.
 */
@Component
class CallerTokens {

    private static final int MAX_ENTRIES = 4_096;
    private static final Duration USED_FOR = UserTokens.LIFE.dividedBy(2);

    private final UserTokens tokens;
    private final Clock clock;
    private final Map<UserCaller, Signed> cached = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UserCaller, Signed> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    private record Signed(String token, Instant at) {}

    CallerTokens(UserTokens tokens, Clock clock) {
        this.tokens = tokens;
        this.clock = clock;
    }

    /** With its whole life before it: for an answer that ends when the token does. */
    String fresh(UserCaller caller) {
        return tokens.issue(caller);
    }

    String of(UserCaller caller) {
        Instant now = clock.instant();
        synchronized (cached) {
            Signed last = cached.get(caller);
            if (last != null && !now.isBefore(last.at) && now.isBefore(last.at.plus(USED_FOR))) {
                return last.token;
            }
        }
        String token = tokens.issue(caller);
        synchronized (cached) {
            cached.put(caller, new Signed(token, now));
        }
        return token;
    }
}

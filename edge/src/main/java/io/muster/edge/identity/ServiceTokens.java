package io.muster.edge.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeyLengthException;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Signs this service's tokens for the other services. A token is good for one called service only and is used again
 * until half of its life is over.
 */
public final class ServiceTokens {

    static final Duration LIFE = Duration.ofSeconds(60);

    private final MACSigner signer;
    private final String self;
    private final InstantSource clock;
    private final Map<String, SignedToken> cached = new ConcurrentHashMap<>();

    /** @param self the calling service without {@code -service}, such as {@code job} */
    public ServiceTokens(Path serviceSecret, String self, InstantSource clock) {
        try {
            this.signer = new MACSigner(KeyFiles.secret(serviceSecret));
        } catch (KeyLengthException e) {
            throw new IllegalStateException(serviceSecret + " is too short for HS256", e);
        } catch (JOSEException e) {
            throw new IllegalStateException("cannot sign with " + serviceSecret, e);
        }
        this.self = self;
        this.clock = clock;
    }

    /**
     * The token itself, without the word Bearer.
     *
     * @param service the service called, without {@code -service}
     */
    public String bearerFor(String service) {
        Instant now = clock.instant();
        return cached.compute(service, (name, last) -> last != null && isFresh(last, now) ? last : issue(name, now))
                .value();
    }

    private static boolean isFresh(SignedToken token, Instant now) {
        Instant halfway = token.expiresAt().minus(LIFE.dividedBy(2));
        return now.isBefore(halfway) && !now.isBefore(token.expiresAt().minus(LIFE));
    }

    private SignedToken issue(String service, Instant now) {
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(TokenForm.SERVICE_ISSUER)
                .subject(self)
                .audience(service);
        return TokenForm.sign(JWSAlgorithm.HS256, signer, claims, now, LIFE);
    }
}

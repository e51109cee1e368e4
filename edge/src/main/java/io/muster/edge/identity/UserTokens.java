package io.muster.edge.identity;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import io.muster.contract.id.ProjectId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

/** Signs the token that stands for a person behind the gateway. Only the gateway (and tests) have the key. */
public final class UserTokens {

    /** Short, because a revoked key lives on in tokens already signed. */
    public static final Duration LIFE = Duration.ofSeconds(60);

    private final RSASSASigner signer;
    private final InstantSource clock;

    public UserTokens(Path gatewayPrivateKey, InstantSource clock) {
        this.signer = new RSASSASigner(KeyFiles.privateKey(gatewayPrivateKey));
        this.clock = clock;
    }

    public String issue(UserCaller caller) {
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(TokenForm.USER_ISSUER)
                .subject(caller.keyId())
                .claim(TokenForm.TENANT, caller.tenant().value())
                .claim(
                        TokenForm.PROJECTS,
                        caller.projects().stream().map(ProjectId::value).toList())
                .claim(TokenForm.ROLE, caller.role().name());
        return TokenForm.sign(JWSAlgorithm.RS256, signer, claims, clock.instant(), LIFE)
                .value();
    }
}

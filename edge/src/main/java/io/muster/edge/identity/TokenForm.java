package io.muster.edge.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

/** What the three kinds of token have in common: issuers, claim names, how they are signed. */
final class TokenForm {

    static final String USER_ISSUER = "muster-gateway";
    static final String NODE_ISSUER = "muster-health";
    static final String SERVICE_ISSUER = "muster-services";

    static final String TENANT = "tenant";
    static final String PROJECTS = "projects";
    static final String ROLE = "role";

    private TokenForm() {}

    static SignedToken sign(
            JWSAlgorithm algorithm, JWSSigner signer, JWTClaimsSet.Builder claims, Instant now, Duration life) {
        Instant expiresAt = now.plus(life);
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(algorithm).type(JOSEObjectType.JWT).build(),
                claims.issueTime(Date.from(now))
                        .expirationTime(Date.from(expiresAt))
                        .build());
        try {
            token.sign(signer);
        } catch (JOSEException e) {
            throw new IllegalStateException("cannot sign a token", e);
        }
        return new SignedToken(token.serialize(), expiresAt);
    }
}

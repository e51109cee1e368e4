package io.muster.edge.identity;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import io.muster.contract.id.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

/** Signs the token of a node's agent. Only health-service (and tests) have the key; all others verify without asking it. */
public final class NodeTokens {

    private final RSASSASigner signer;
    private final InstantSource clock;

    public NodeTokens(Path nodePrivateKey, InstantSource clock) {
        this.signer = new RSASSASigner(KeyFiles.privateKey(nodePrivateKey));
        this.clock = clock;
    }

    public SignedToken issue(NodeId node, Duration life) {
        JWTClaimsSet.Builder claims =
                new JWTClaimsSet.Builder().issuer(TokenForm.NODE_ISSUER).subject(node.value());
        return TokenForm.sign(JWSAlgorithm.RS256, signer, claims, clock.instant(), life);
    }
}

package io.muster.edge.identity;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The files that identity rests on. Every service has the first three; only the gateway has its private key, only
 * health-service that of the nodes.
 */
@ConfigurationProperties("muster.identity")
public record IdentityProperties(
        Path gatewayPublicKey,
        Path nodePublicKey,
        Path serviceSecret,
        @Nullable Path gatewayPrivateKey,
        @Nullable Path nodePrivateKey) {

    public IdentityProperties {
        require(gatewayPublicKey, "gateway-public-key", IdentityKeys.GATEWAY_PUBLIC);
        require(nodePublicKey, "node-public-key", IdentityKeys.NODE_PUBLIC);
        require(serviceSecret, "service-secret", IdentityKeys.SERVICE_SECRET);
    }

    private static void require(@Nullable Path file, String setting, String name) {
        if (file == null) {
            throw new IllegalArgumentException("setting muster.identity." + setting + " is missing: name the file "
                    + name + " that `./muster up` makes (or IdentityKeys.createMissing)");
        }
    }
}

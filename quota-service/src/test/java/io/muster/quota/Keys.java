package io.muster.quota;

import io.muster.contract.Topics;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.IdentityKeys;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import io.muster.testing.TestBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** The key files of this test JVM, and tokens signed with them. */
public final class Keys {

    private static final Path DIR = make();

    private Keys() {}

    public static String user(String tenant, Role role) {
        return new UserTokens(DIR.resolve(IdentityKeys.GATEWAY_PRIVATE), InstantSource.system())
                .issue(new UserCaller(new TenantId(tenant), List.of(), role, "key_" + tenant + "_" + role));
    }

    private static Path make() {
        try {
            Path dir = Files.createTempDirectory("muster-quota-keys");
            IdentityKeys.createMissing(dir);
            return dir;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static final class Initializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

        @Override
        public void initialize(ConfigurableApplicationContext context) {
            TestBroker.topics(Topics.PLACEMENTS, Topics.QUOTAS);
            TestPropertyValues.of(
                            "muster.identity.gateway-public-key=" + DIR.resolve(IdentityKeys.GATEWAY_PUBLIC),
                            "muster.identity.node-public-key=" + DIR.resolve(IdentityKeys.NODE_PUBLIC),
                            "muster.identity.service-secret=" + DIR.resolve(IdentityKeys.SERVICE_SECRET))
                    .applyTo(context);
        }
    }
}

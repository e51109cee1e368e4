package io.muster.checkpoint;

import io.muster.contract.Topics;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.IdentityKeys;
import io.muster.edge.identity.NodeTokens;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.ServiceTokens;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import io.muster.testing.TestBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

    public static String node(String node) {
        return new NodeTokens(DIR.resolve(IdentityKeys.NODE_PRIVATE), InstantSource.system())
                .issue(new NodeId(node), Duration.ofHours(1))
                .value();
    }

    /** A token of one service for another. */
    public static String service(String from, String to) {
        return new ServiceTokens(DIR.resolve(IdentityKeys.SERVICE_SECRET), from, InstantSource.system()).bearerFor(to);
    }

    private static Path make() {
        try {
            Path dir = Files.createTempDirectory("muster-checkpoint-keys");
            IdentityKeys.createMissing(dir);
            return dir;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static final class Initializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

        @Override
        public void initialize(ConfigurableApplicationContext context) {
            TestBroker.topics(Topics.PLACEMENTS, Topics.NODES, Topics.CHECKPOINTS);
            TestPropertyValues.of(
                            "muster.identity.gateway-public-key=" + DIR.resolve(IdentityKeys.GATEWAY_PUBLIC),
                            "muster.identity.node-public-key=" + DIR.resolve(IdentityKeys.NODE_PUBLIC),
                            "muster.identity.service-secret=" + DIR.resolve(IdentityKeys.SERVICE_SECRET))
                    .applyTo(context);
        }
    }
}

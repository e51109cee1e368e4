package io.muster.job;

import io.muster.contract.Topics;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.IdentityKeys;
import io.muster.edge.identity.NodeTokens;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import io.muster.testing.TestBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** Keys, store and topics of the service under test, and tokens for those who call it. */
public final class TestDoor implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final Path FOLDER = folder();

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        TestBroker.topics(Topics.JOBS, Topics.PLACEMENTS, Topics.NODES, Topics.QUOTAS, Topics.CHECKPOINTS);
        TestPropertyValues.of(
                        "muster.identity.gateway-public-key=" + FOLDER.resolve(IdentityKeys.GATEWAY_PUBLIC),
                        "muster.identity.node-public-key=" + FOLDER.resolve(IdentityKeys.NODE_PUBLIC),
                        "muster.identity.service-secret=" + FOLDER.resolve(IdentityKeys.SERVICE_SECRET),
                        "muster.store.root=" + store())
                .applyTo(context);
    }

    public static Path store() {
        return FOLDER.resolve("store");
    }

    public static String user(String tenant, Role role, String... projects) {
        List<ProjectId> ids = List.of(projects).stream().map(ProjectId::new).toList();
        return new UserTokens(FOLDER.resolve(IdentityKeys.GATEWAY_PRIVATE), Clock.systemUTC())
                .issue(new UserCaller(new TenantId(tenant), ids, role, "key_" + tenant));
    }

    /** As if it had been signed so long ago. */
    public static String userSince(String tenant, Role role, Duration ago) {
        return new UserTokens(FOLDER.resolve(IdentityKeys.GATEWAY_PRIVATE), Clock.offset(Clock.systemUTC(), ago))
                .issue(new UserCaller(new TenantId(tenant), List.of(), role, "key_" + tenant));
    }

    public static String node(NodeId node) {
        return new NodeTokens(FOLDER.resolve(IdentityKeys.NODE_PRIVATE), Clock.systemUTC())
                .issue(node, Duration.ofHours(1))
                .value();
    }

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("job-service-test");
            IdentityKeys.createMissing(folder);
            Files.createDirectories(folder.resolve("store"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

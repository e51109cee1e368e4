package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.identity.UserCaller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Makes join tokens, and takes those of the bootstrap file at every start: a token that was used stays used. */
@Component
class JoinTokens implements InitializingBean {

    private static final Logger LOG = LoggerFactory.getLogger(JoinTokens.class);
    private static final Duration LONGEST = Duration.ofDays(30);

    /** What an administrator gets. */
    sealed interface Answer {

        record Made(JoinToken token) implements Answer {}

        record Refused(Problem problem) implements Answer {}
    }

    /** The bootstrap file: {@code {"tokens":[{"node":"r1-n1","token":"…"}]}}. */
    record BootstrapFile(List<BootstrapToken> tokens) {}

    /** One token of it. */
    record BootstrapToken(NodeId node, String token) {

        @Override
        public String toString() {
            return "BootstrapToken[node=" + node + "]";
        }
    }

    private final JoinTokenRepository repository;
    private final JoinSecrets secrets;
    private final RegistryProperties properties;
    private final JsonMapper json;
    private final Clock clock;

    JoinTokens(
            JoinTokenRepository repository,
            JoinSecrets secrets,
            RegistryProperties properties,
            JsonMapper json,
            Clock clock) {
        this.repository = repository;
        this.secrets = secrets;
        this.properties = properties;
        this.json = json;
        this.clock = clock;
    }

    @Override
    public void afterPropertiesSet() {
        Path file = properties.bootstrapJoinTokens();
        if (file == null) {
            return;
        }
        Instant now = clock.instant();
        List<BootstrapToken> tokens = read(file).tokens();
        for (BootstrapToken token : tokens) {
            repository.add(JoinSecrets.hash(token.token()), token.node(), "bootstrap", now, null);
        }
        LOG.info("bootstrap join tokens file={} tokens={}", file, tokens.size());
    }

    Answer make(UserCaller caller, JoinTokenRequest request) {
        if (!caller.mayOperateNodes()) {
            return new Answer.Refused(Problem.of(
                    403,
                    "FORBIDDEN",
                    "Not with this role",
                    "Role " + caller.role() + " may not let nodes join.",
                    "Ask someone with role SRE or ADMIN."));
        }
        Instant now = clock.instant();
        Instant expires = request.expires() == null ? now.plus(properties.joinTokenLife()) : request.expires();
        List<Violation> wrong = violations(request.node(), expires, now);
        if (!wrong.isEmpty() || request.node() == null) {
            return new Answer.Refused(Problem.of(
                            400,
                            "INVALID_BODY",
                            "The request is not what this path takes",
                            wrong.size() == 1 ? "One thing is wrong." : wrong.size() + " things are wrong.",
                            "Each is in violations.")
                    .with(wrong));
        }
        JoinToken made = new JoinToken(request.node(), secrets.next(), expires);
        repository.add(JoinSecrets.hash(made.token()), made.node(), caller.keyId(), now, expires);
        LOG.info("join token made node={} by={} expires={}", made.node(), caller.keyId(), expires);
        return new Answer.Made(made);
    }

    private static List<Violation> violations(@Nullable NodeId node, Instant expires, Instant now) {
        List<Violation> wrong = new ArrayList<>();
        if (node == null) {
            wrong.add(new Violation("/node", "is missing", null, "the name of the node that shall join"));
        }
        if (!expires.isAfter(now) || expires.isAfter(now.plus(LONGEST))) {
            wrong.add(new Violation(
                    "/expires",
                    "is not within the next 30 days",
                    expires.toString(),
                    now + " to " + now.plus(LONGEST)));
        }
        return wrong;
    }

    private BootstrapFile read(Path file) {
        try {
            return json.readValue(Files.readString(file), BootstrapFile.class);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "cannot read the file of muster.health.bootstrap-join-tokens, " + file + ": " + e.getMessage(), e);
        }
    }
}

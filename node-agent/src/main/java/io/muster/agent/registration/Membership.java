package io.muster.agent.registration;

import io.muster.agent.http.Answer;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.pace.Backoff;
import io.muster.agent.pace.StopSignal;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.Registration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's standing with health-service. With a kept token it registers (a new session), without one, or when the
 * token is refused, it joins with the one-time join token. Everything is tried for ever; what an administrator must do
 * is said in one line each time the reason changes. Ranks are never touched by any of it.
 */
public final class Membership {

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final AgentSettings settings;
    private final Credential credential;
    private final Supplier<NodeFacts> facts;
    private final RandomGenerator random;
    private volatile @Nullable Registration current;
    private volatile boolean active;
    private String lastComplaint = "";

    public Membership(
            AgentSettings settings, Credential credential, Supplier<NodeFacts> facts, RandomGenerator random) {
        this.settings = settings;
        this.credential = credential;
        this.facts = facts;
        this.random = random;
        this.current = credential
                .load()
                .filter(kept -> kept.node().equals(settings.node()))
                .orElse(null);
    }

    /** The token to send; empty before the first join. */
    public Optional<String> token() {
        return Optional.ofNullable(current).map(Registration::nodeToken);
    }

    /** Whether a session is open, as far as this agent knows. */
    public boolean active() {
        return active;
    }

    /** The session; 0 before the first. */
    public long session() {
        Registration now = current;
        return now == null ? 0 : now.session();
    }

    public Duration heartbeatEvery() {
        Registration now = current;
        return Duration.ofMillis(now == null ? 1000 : Math.clamp(now.heartbeatMillis(), 50, 60_000));
    }

    public void renewed(Registration fresh) {
        current = fresh;
        credential.keep(fresh);
    }

    /** The session is over; the next round registers again. */
    public void ended() {
        active = false;
    }

    /** Tries until a session is open or the agent stops. */
    public void enter(ServiceClient health, StopSignal stop) {
        Backoff backoff = new Backoff(random, Duration.ofMillis(200), Duration.ofSeconds(5));
        while (!active && !stop.raised()) {
            if (!attempt(health)) {
                stop.pause(backoff.next());
            }
        }
    }

    private boolean attempt(ServiceClient health) {
        NodeFacts now = facts.get();
        if (current != null) {
            String path = "/internal/agents/" + settings.node() + "/register";
            switch (health.post(settings.healthUrl(), path, now, Registration.class, PATIENCE)) {
                case Answer.Ok<Registration> ok -> {
                    return opened(ok.body());
                }
                case Answer.Refused<Registration> refused -> {
                    if (!refused.unauthorized() && refused.status() != 404) {
                        return complain("registration refused: " + refused.status() + " " + refused.detail());
                    }
                }
                case Answer.Unreachable<Registration> away -> {
                    return complain("health-service cannot be reached: " + away.why());
                }
            }
        }
        return join(health, now);
    }

    private boolean join(ServiceClient health, NodeFacts now) {
        Optional<String> token = joinToken();
        if (token.isEmpty()) {
            return complain("no valid credential and no join token for " + settings.node()
                    + "; an administrator makes one with POST /api/v1/nodes/join-tokens and writes it to "
                    + settings.joinTokenFile().map(Object::toString).orElse("the file MUSTER_JOIN_TOKEN_FILE names"));
        }
        JoinRequest request = new JoinRequest(token.get(), now);
        return switch (health.post(settings.healthUrl(), "/internal/join", request, Registration.class, PATIENCE)) {
            case Answer.Ok<Registration> ok -> opened(ok.body());
            case Answer.Refused<Registration> refused ->
                complain("join refused: " + refused.status() + " " + refused.detail()
                        + "; a join token works once: make a new one and write it to its file");
            case Answer.Unreachable<Registration> away -> complain("health-service cannot be reached: " + away.why());
        };
    }

    private Optional<String> joinToken() {
        try {
            if (settings.joinTokenFile().isEmpty()) {
                return Optional.empty();
            }
            String text = Files.readString(settings.joinTokenFile().get(), StandardCharsets.US_ASCII);
            return Optional.of(text.strip()).filter(found -> !found.isEmpty());
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private boolean opened(Registration registration) {
        renewed(registration);
        active = true;
        lastComplaint = "";
        LOG.info(
                "session opened node={} session={} heartbeatMillis={}",
                registration.node(),
                registration.session(),
                registration.heartbeatMillis());
        return true;
    }

    private boolean complain(String reason) {
        if (!reason.equals(lastComplaint)) {
            LOG.warn("{}", reason);
            lastComplaint = reason;
        }
        return false;
    }
}

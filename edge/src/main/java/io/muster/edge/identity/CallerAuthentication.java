package io.muster.edge.identity;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;

/** A proven {@link Caller} in the security context. It keeps no token. */
public final class CallerAuthentication extends AbstractAuthenticationToken {

    private final transient Caller caller;
    private final Instant until;

    /** Proven for this one request. */
    public CallerAuthentication(Caller caller) {
        this(caller, Instant.EPOCH);
    }

    /** @param until when the proof is over: an answer that lasts ends then */
    CallerAuthentication(Caller caller, Instant until) {
        super(List.of());
        this.caller = caller;
        this.until = until;
        setAuthenticated(true);
    }

    public Instant until() {
        return until;
    }

    @Override
    public Object getCredentials() {
        return "";
    }

    @Override
    public Caller getPrincipal() {
        return caller;
    }

    @Override
    public String getName() {
        return switch (caller) {
            case UserCaller user -> user.keyId();
            case NodeCaller node -> node.node().value();
            case ServiceCaller service -> service.service();
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CallerAuthentication that && caller.equals(that.caller);
    }

    @Override
    public int hashCode() {
        return caller.hashCode();
    }
}

package io.muster.edge.identity;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;

/** A proven {@link Caller} in the security context. It keeps no token. */
public final class CallerAuthentication extends AbstractAuthenticationToken {

    private final transient Caller caller;

    public CallerAuthentication(Caller caller) {
        super(List.of());
        this.caller = caller;
        setAuthenticated(true);
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

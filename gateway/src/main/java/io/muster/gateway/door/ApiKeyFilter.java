package io.muster.gateway.door;

import io.muster.contract.problem.Problem;
import io.muster.edge.identity.CallerAuthentication;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.ProblemWriter;
import io.muster.gateway.access.KeyVerdict;
import io.muster.gateway.access.KeyVerifier;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Turns the API key of a request into its caller and charges the tenant's rate. The key comes as {@code Authorization:
 * Bearer mk_…} or as {@code X-API-Key}; one of both, and never in the URL, where logs would keep it. A path that needs
 * no key does not look at one. When keys cannot be looked up the answer is 503, never "let in".
 */
final class ApiKeyFilter extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(ApiKeyFilter.class);
    private static final String KEY_HEADER = "X-API-Key";
    private static final String BEARER = "bearer ";

    private final KeyVerifier verifier;
    private final TenantRate rate;
    private final ProblemWriter writer;
    private final SecurityContextHolderStrategy contexts = SecurityContextHolder.getContextHolderStrategy();
    private final RequestAttributeSecurityContextRepository repository =
            new RequestAttributeSecurityContextRepository();

    ApiKeyFilter(KeyVerifier verifier, TenantRate rate, ProblemWriter writer) {
        this.verifier = verifier;
        this.rate = rate;
        this.writer = writer;
    }

    static PublicPath pathOf(HttpServletRequest request) {
        @Nullable String info = request.getPathInfo();
        String path = info == null ? request.getServletPath() : request.getServletPath() + info;
        return PublicPath.of(request.getMethod(), path);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (pathOf(request) != PublicPath.KEYED) {
            chain.doFilter(request, response);
            return;
        }
        @Nullable String presented = presented(request);
        if (presented == null) {
            refuse(response, "This path needs an API key in the header 'Authorization: Bearer mk_…'.");
            return;
        }
        try {
            switch (verifier.verify(presented)) {
                case KeyVerdict.Accepted(UserCaller caller) -> admit(caller, request, response, chain);
                case KeyVerdict.Refused(String reason) -> refuse(response, reason + ".");
                case KeyVerdict.Unknown() -> refuse(response, "The API key that was sent is not known.");
            }
        } catch (DataAccessException | TransactionException e) {
            log.warn("API keys cannot be looked up: {}", e.getMessage());
            writer.write(response, databaseAway());
        }
    }

    private void admit(UserCaller caller, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!rate.admits(caller.tenant())) {
            response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(rate.retryAfterSeconds(caller.tenant())));
            writer.write(response, rate.refusal(caller.tenant()));
            return;
        }
        SecurityContext context = contexts.createEmptyContext();
        context.setAuthentication(new CallerAuthentication(caller));
        contexts.setContext(context);
        repository.saveContext(context, request, response);
        chain.doFilter(request, response);
    }

    private static @Nullable String presented(HttpServletRequest request) {
        @Nullable String own = request.getHeader(KEY_HEADER);
        @Nullable String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (authorization == null) {
            return own;
        }
        boolean bearer = authorization.toLowerCase(Locale.ROOT).startsWith(BEARER);
        return bearer && own == null ? authorization.substring(BEARER.length()).strip() : null;
    }

    private void refuse(HttpServletResponse response, String detail) throws IOException {
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        writer.write(
                response,
                Problem.of(
                        401,
                        "UNAUTHENTICATED",
                        "Who is calling is not known",
                        detail,
                        "Send one valid key; `./muster up` writes the administrator's, who makes others with POST /api/v1/keys."));
    }

    private static Problem databaseAway() {
        return Problem.of(
                503,
                "SERVICE_UNAVAILABLE",
                "A part of Muster does not answer",
                "The gateway cannot look up API keys: its database does not answer.",
                "Try again in a few seconds.");
    }
}

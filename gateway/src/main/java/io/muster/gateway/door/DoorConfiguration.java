package io.muster.gateway.door;

import io.muster.contract.problem.Problem;
import io.muster.edge.identity.CallerAuthentication;
import io.muster.edge.problem.ProblemWriter;
import io.muster.gateway.access.KeyVerifier;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;

/** The gateway's own chain, in the place of the edge's: API keys instead of tokens. */
@Configuration(proxyBeanMethods = false)
class DoorConfiguration {

    private static final Set<String> MANAGEMENT = Set.of("/actuator/health", "/actuator/prometheus");

    @Bean
    SecurityFilterChain gatewayDoor(HttpSecurity http, KeyVerifier verifier, TenantRate rate, ProblemWriter writer) {
        return http.csrf(AbstractHttpConfigurer::disable)
                .cors(AbstractHttpConfigurer::disable)
                .formLogin(AbstractHttpConfigurer::disable)
                .httpBasic(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .anonymous(AbstractHttpConfigurer::disable)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .addFilterBefore(new ApiKeyFilter(verifier, rate, writer), AuthorizationFilter.class)
                .exceptionHandling(failing -> failing.authenticationEntryPoint(
                                (request, response, e) -> writer.write(response, nothingHere(request)))
                        .accessDeniedHandler((request, response, e) -> writer.write(response, nothingHere(request))))
                .authorizeHttpRequests(requests -> requests
                        // the first dispatch of the same request has been judged already
                        .dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR)
                        .permitAll()
                        .anyRequest()
                        .access((authentication, context) ->
                                new AuthorizationDecision(passes(context.getRequest(), authentication))))
                .build();
    }

    /**
     * A keyed path has passed {@link ApiKeyFilter} or was answered there; what is left to refuse is the wall. Nobody may be
     * asked for on the others, because there nobody is known.
     */
    private static boolean passes(
            HttpServletRequest request, Supplier<? extends @Nullable Authentication> authentication) {
        return switch (ApiKeyFilter.pathOf(request)) {
            case OPEN -> true;
            case KEYED -> authentication.get() instanceof CallerAuthentication;
            case WALL ->
                MANAGEMENT.contains(request.getRequestURI())
                        && request.getMethod().equals("GET");
        };
    }

    private static Problem nothingHere(HttpServletRequest request) {
        return ProblemWriter.unknownPath(request.getMethod(), request.getRequestURI());
    }
}

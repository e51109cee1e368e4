package io.muster.edge.identity;

import io.muster.edge.problem.ProblemAutoConfiguration;
import io.muster.edge.problem.ProblemWriter;
import jakarta.servlet.DispatcherType;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.oauth2.server.resource.web.BearerTokenResolver;
import org.springframework.security.oauth2.server.resource.web.DefaultBearerTokenResolver;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Tokens and the filter chain of a service. The chain is left out where the application brings its own (the gateway,
 * whose callers have API keys).
 */
@AutoConfiguration(
        after = ProblemAutoConfiguration.class,
        beforeName = {
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.oauth2.server.resource.autoconfigure.OAuth2ResourceServerAutoConfiguration"
        })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@EnableConfigurationProperties(IdentityProperties.class)
public final class IdentityAutoConfiguration {

    @Bean
    ServiceTokens serviceTokens(IdentityProperties identity, Environment environment, Clock clock) {
        return new ServiceTokens(identity.serviceSecret(), self(environment), clock);
    }

    @Bean
    @ConditionalOnProperty("muster.identity.gateway-private-key")
    UserTokens userTokens(IdentityProperties identity, Clock clock) {
        return new UserTokens(present(identity.gatewayPrivateKey()), clock);
    }

    @Bean
    @ConditionalOnProperty("muster.identity.node-private-key")
    NodeTokens nodeTokens(IdentityProperties identity, Clock clock) {
        return new NodeTokens(present(identity.nodePrivateKey()), clock);
    }

    @Bean
    @ConditionalOnMissingBean({SecurityFilterChain.class, AuthenticationManager.class})
    AuthenticationManager tokenAuthentication(IdentityProperties identity, Environment environment, Clock clock) {
        TokenVerifier verifier = new TokenVerifier(identity, self(environment), clock);
        return authentication -> authenticate(verifier, authentication);
    }

    @Bean
    @ConditionalOnMissingBean(SecurityFilterChain.class)
    SecurityFilterChain doors(HttpSecurity http, AuthenticationManager tokens, ProblemWriter writer) {
        SecurityAnswers answers = new SecurityAnswers(writer);
        return http.csrf(AbstractHttpConfigurer::disable)
                .cors(AbstractHttpConfigurer::disable)
                .formLogin(AbstractHttpConfigurer::disable)
                .httpBasic(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .oauth2ResourceServer(server -> server.bearerTokenResolver(bearerUnlessOpen())
                        .authenticationManagerResolver(request -> tokens)
                        .authenticationEntryPoint(answers)
                        .accessDeniedHandler(answers))
                .exceptionHandling(
                        failing -> failing.authenticationEntryPoint(answers).accessDeniedHandler(answers))
                .authorizeHttpRequests(requests -> requests
                        // the first dispatch of the same request has been judged already
                        .dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR)
                        .permitAll()
                        .anyRequest()
                        .access((authentication, context) -> new AuthorizationDecision(
                                passes(SecurityAnswers.doorOf(context.getRequest()), authentication.get()))))
                .build();
    }

    @Bean
    WebMvcConfigurer callerParameters() {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new CallerArgumentResolver());
            }
        };
    }

    /** A document shows what a caller sends; who it is comes from its token. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springdoc.core.utils.SpringDocUtils")
    static class WithDocument {

        WithDocument() {
            SpringDocUtils.getConfig()
                    .addRequestWrapperToIgnore(Caller.class, UserCaller.class, NodeCaller.class, ServiceCaller.class);
        }
    }

    private static boolean passes(Door door, Authentication authentication) {
        return door instanceof Door.Open
                || (authentication instanceof CallerAuthentication known && door.refusal(known.getPrincipal()) == null);
    }

    private static BearerTokenResolver bearerUnlessOpen() {
        DefaultBearerTokenResolver header = new DefaultBearerTokenResolver();
        // a stale token must not keep an agent from joining again
        return request -> SecurityAnswers.doorOf(request) instanceof Door.Open ? null : header.resolve(request);
    }

    private static Authentication authenticate(TokenVerifier verifier, Authentication authentication) {
        String token = ((BearerTokenAuthenticationToken) authentication).getToken();
        try {
            return verifier.verify(token);
        } catch (BadJwtException e) {
            throw new InvalidBearerTokenException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Path present(@Nullable Path file) {
        return Objects.requireNonNull(file, "the condition on the setting has seen it");
    }

    static String self(Environment environment) {
        String name = environment.getRequiredProperty("spring.application.name");
        return name.endsWith("-service") ? name.substring(0, name.length() - "-service".length()) : name;
    }
}

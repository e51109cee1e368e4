package io.muster.edge.identity;

import com.nimbusds.jwt.JWTParser;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * Decides whose token this is. The issuer a token names only chooses the one key and the one algorithm it must then be
 * proven with; so neither {@code none}, nor HS256 with a public key, nor the key of another kind is ever tried. Every
 * token must end; clocks may differ by {@link #SKEW}.
 */
final class TokenVerifier {

    static final Duration SKEW = Duration.ofSeconds(5);

    private final Map<String, JwtDecoder> decoders;

    TokenVerifier(IdentityProperties identity, String self, Clock clock) {
        this.decoders = Map.of(
                TokenForm.USER_ISSUER,
                rsa(identity.gatewayPublicKey(), clock, List.of()),
                TokenForm.NODE_ISSUER,
                rsa(identity.nodePublicKey(), clock, List.of()),
                TokenForm.SERVICE_ISSUER,
                hmac(identity.serviceSecret(), clock, List.of(audience(self))));
    }

    /** Throws {@link BadJwtException} with a reason that may be told to the caller. */
    CallerAuthentication verify(String token) {
        JwtDecoder decoder = decoders.get(issuer(token));
        if (decoder == null) {
            throw new BadJwtException("its issuer is none of ours");
        }
        Jwt jwt;
        try {
            jwt = decoder.decode(token);
        } catch (BadJwtException e) {
            throw new BadJwtException(reason(e), e);
        }
        try {
            return new CallerAuthentication(
                    caller(jwt),
                    Objects.requireNonNull(jwt.getExpiresAt(), "validated").plus(SKEW));
        } catch (IllegalArgumentException e) {
            throw new BadJwtException("its claims are not what its issuer signs", e);
        }
    }

    private static String issuer(String token) {
        try {
            @Nullable String issuer = JWTParser.parse(token).getJWTClaimsSet().getIssuer();
            return issuer == null ? "" : issuer;
        } catch (ParseException | RuntimeException e) {
            throw new BadJwtException("it is not a JSON web token", e);
        }
    }

    private static String reason(BadJwtException e) {
        if (e instanceof JwtValidationException invalid) {
            return invalid.getErrors().stream()
                    .map(OAuth2Error::getDescription)
                    .findFirst()
                    .orElse("it is not valid");
        }
        return "its signature is not that of its issuer";
    }

    private static Caller caller(Jwt jwt) {
        String subject = text(jwt, "sub");
        return switch (text(jwt, "iss")) {
            case TokenForm.USER_ISSUER ->
                new UserCaller(
                        new TenantId(text(jwt, TokenForm.TENANT)),
                        projects(jwt),
                        Role.valueOf(text(jwt, TokenForm.ROLE)),
                        subject);
            case TokenForm.NODE_ISSUER -> new NodeCaller(new NodeId(subject));
            case TokenForm.SERVICE_ISSUER -> new ServiceCaller(subject);
            default -> throw new IllegalArgumentException("issuer");
        };
    }

    private static List<ProjectId> projects(Jwt jwt) {
        @Nullable List<String> names = jwt.getClaimAsStringList(TokenForm.PROJECTS);
        if (names == null) {
            // an absent list must not read as "all projects"
            throw new IllegalArgumentException(TokenForm.PROJECTS);
        }
        return names.stream().map(ProjectId::new).toList();
    }

    private static String text(Jwt jwt, String claim) {
        @Nullable String value = jwt.getClaimAsString(claim);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(claim);
        }
        return value;
    }

    private static JwtDecoder rsa(Path publicKey, Clock clock, List<OAuth2TokenValidator<Jwt>> further) {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withPublicKey(KeyFiles.publicKey(publicKey))
                .signatureAlgorithm(SignatureAlgorithm.RS256)
                .build();
        decoder.setJwtValidator(validator(clock, further));
        return decoder;
    }

    private static JwtDecoder hmac(Path secret, Clock clock, List<OAuth2TokenValidator<Jwt>> further) {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(KeyFiles.secret(secret))
                .macAlgorithm(MacAlgorithm.HS256)
                .build();
        decoder.setJwtValidator(validator(clock, further));
        return decoder;
    }

    private static OAuth2TokenValidator<Jwt> validator(Clock clock, List<OAuth2TokenValidator<Jwt>> further) {
        JwtTimestampValidator times = new JwtTimestampValidator(SKEW);
        times.setClock(clock);
        OAuth2TokenValidator<Jwt> life = jwt -> {
            if (jwt.getExpiresAt() == null) {
                return refused("it has no end");
            }
            return times.validate(jwt).hasErrors()
                    ? refused("it is valid until " + jwt.getExpiresAt() + " and it is now " + clock.instant())
                    : OAuth2TokenValidatorResult.success();
        };
        return new DelegatingOAuth2TokenValidator<>(
                Stream.concat(Stream.of(life), further.stream()).toList());
    }

    private static OAuth2TokenValidator<Jwt> audience(String self) {
        return jwt -> jwt.getAudience() != null && jwt.getAudience().equals(List.of(self))
                ? OAuth2TokenValidatorResult.success()
                : refused("it is for " + jwt.getAudience() + " and this is " + self);
    }

    private static OAuth2TokenValidatorResult refused(String reason) {
        return OAuth2TokenValidatorResult.failure(new OAuth2Error("invalid_token", reason, null));
    }
}

package io.muster.edge.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.SmallService;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.RSAPrivateKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of token, good and bad in every way, at every kind of path. */
final class DoorsTest {

    private static final String USERS = "/api/v1/who";
    private static final String NODE_1 = "/internal/agents/r1-n1/ping";
    private static final String SERVICES = "/internal/services/ping";
    private static final List<String> PATHS = List.of(USERS, NODE_1, SERVICES);

    private static final Clock NOW = Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC);

    @TempDir
    static Path folder;

    private static SmallService service;
    private static Map<String, String> tokens;

    @BeforeAll
    static void start() throws Exception {
        service = new SmallService("job", folder.resolve("keys"), NOW, Map.of());
        tokens = tokens();
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /** Name of a token, then the answers at the paths for users, node r1-n1 and services. */
    static Stream<Object[]> matrix() {
        return Stream.of(
                row("user", 200, 403, 403),
                row("user of a project", 200, 403, 403),
                row("user, expired", 401, 401, 401),
                row("user, within the skew", 200, 403, 403),
                row("user, beyond the skew", 401, 401, 401),
                row("user, without end", 401, 401, 401),
                row("user, without tenant", 401, 401, 401),
                row("user, without projects", 401, 401, 401),
                row("user, projects not a list of names", 401, 401, 401),
                row("user, unknown role", 401, 401, 401),
                row("user, signed with the node key", 401, 401, 401),
                row("user, signed with another installation's key", 401, 401, 401),
                row("user, HS256 with the public key as secret", 401, 401, 401),
                row("user, HS256 with the PEM text as secret", 401, 401, 401),
                row("user, HS256 with the services' secret", 401, 401, 401),
                row("user, RS512", 401, 401, 401),
                row("user, alg none", 401, 401, 401),
                row("user, tampered claims", 401, 401, 401),
                row("user, signature cut off", 401, 401, 401),
                row("user, key in its own header", 401, 401, 401),
                row("node r1-n1", 403, 200, 403),
                row("node r1-n2", 403, 403, 403),
                row("node R1-N1", 401, 401, 401),
                row("node, expired", 401, 401, 401),
                row("node, signed with the gateway key", 401, 401, 401),
                row("node, signed with the services' secret", 401, 401, 401),
                row("node, alg none", 401, 401, 401),
                row("service for job", 403, 403, 200),
                row("service for quota", 401, 401, 401),
                row("service for job and quota", 401, 401, 401),
                row("service for nobody", 401, 401, 401),
                row("service, expired", 401, 401, 401),
                row("service, other secret", 401, 401, 401),
                row("service, RS256 with the gateway key", 401, 401, 401),
                row("unknown issuer", 401, 401, 401),
                row("no issuer", 401, 401, 401),
                row("garbage", 401, 401, 401),
                row("three garbage parts", 401, 401, 401),
                row("empty parts", 401, 401, 401),
                row("api key", 401, 401, 401),
                row("none", 401, 401, 401));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("matrix")
    void tokenAtEveryPath(String name, List<Integer> expected) {
        @Nullable String token = name.equals("none") ? null : tokens.get(name);
        assertThat(name.equals("none") || token != null)
                .as("token '%s' is made", name)
                .isTrue();
        List<Integer> answers = new ArrayList<>();
        for (String path : PATHS) {
            HttpResponse<String> answer = service.get(path, token);
            answers.add(answer.statusCode());
            if (answer.statusCode() != 200) {
                assertProblem(answer);
            }
            if (answer.statusCode() == 401) {
                assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            }
        }
        assertThat(answers).as(name).isEqualTo(expected);
    }

    @Test
    void everyTokenMadeIsInTheMatrix() {
        assertThat(matrix().map(row -> row[0]).toList())
                .containsAll(tokens.keySet())
                .hasSize(tokens.size() + 1);
    }

    @Test
    void aControllerGetsTheCallerOfTheToken() {
        assertThat(service.get(USERS, tokens.get("user of a project")).body()).isEqualTo("acme [llm] ENGINEER key_1");
        assertThat(service.get(NODE_1, tokens.get("node r1-n1")).body()).isEqualTo("r1-n1 at r1-n1");
        assertThat(service.get(SERVICES, tokens.get("service for job")).body()).isEqualTo("quota");
        assertThat(service.get("/api/v1/wait", tokens.get("user")).body()).isEqualTo("later key_1");
    }

    @Test
    void refusalsSayWhoseTokenItIs() {
        assertThat(service.get(NODE_1, tokens.get("node r1-n2")).body())
                .contains("for the agent of node r1-n1")
                .contains("of node r1-n2");
        assertThat(service.get(USERS, tokens.get("user, expired")).body()).contains("valid until");
        assertThat(service.get(SERVICES, tokens.get("service for quota")).body())
                .contains("[quota]");
    }

    @Test
    void aControllerAskingForAnotherKindThanItsPathRefuses() {
        HttpResponse<String> answer = service.get("/api/v1/wrong-kind", tokens.get("user"));
        assertThat(answer.statusCode()).isEqualTo(403);
        assertProblem(answer);
    }

    @Test
    void joinIsOpenEvenWithAStaleToken() {
        assertThat(service.post("/internal/join", null, "{}").statusCode()).isEqualTo(200);
        assertThat(service.post("/internal/join", tokens.get("node, expired"), "{}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(service.get("/internal/join", null).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/nowhere",
                "/error",
                "/actuator",
                "/actuator/env",
                "/actuator/heapdump",
                "/internal",
                "/internal/",
                "/internal/agents",
                "/internal/agents/",
                "/internal/other",
                "/internal/joined",
                "/api",
                "/api/v2/who",
                "/API/v1/who",
                "/login",
                "/v3/api-docs.yaml",
                "/v3/api-docs/swagger-config",
                "/swagger-ui.html",
                "/favicon.ico"
            })
    void aPathOnNoListIsAWall(String path) {
        for (String name : List.of("user", "node r1-n1", "service for job")) {
            HttpResponse<String> answer = service.get(path, tokens.get(name));
            assertThat(answer.statusCode()).as(path + " with " + name).isEqualTo(404);
            assertProblem(answer);
        }
        assertThat(service.get(path, null).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/internal/agents/r1-n2/../r1-n1/ping",
                "/internal/agents/r1-n2/%2e%2e/r1-n1/ping",
                "/internal/agents/r1-n2;/ping",
                "/internal/agents/r1-n2%2fx/ping",
                "/internal//agents/r1-n1/ping",
                "/internal/agents/r1-n2%5cping",
                "/api/v1/%2e%2e/%2e%2e/internal/agents/r1-n1/ping",
                "/api/v1/..;/..;/internal/agents/r1-n1/ping",
                "/internal/agents/r1-n2%252f..%252fr1-n1/ping",
                "/internal/agents/%72%31-n1/ping",
                "/internal/agents/r1-n1%00/ping",
                "/./internal/agents/r1-n1/ping"
            })
    void noSpellingOfAPathReachesAnotherNode(String path) {
        HttpResponse<String> answer = service.get(path, tokens.get("node r1-n2"));
        assertThat(answer.statusCode()).as(answer.body()).isBetween(400, 404).isNotEqualTo(402);
        assertProblem(answer);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noMutatedTokenIsTaken(long seed) {
        Random random = new Random(seed);
        for (String name : List.of("user", "node r1-n1", "service for job")) {
            String good = tokens.get(name);
            for (int i = 0; i < 12; i++) {
                // the last character of a part carries unused bits, so another letter there can be the same bytes
                int at = random.nextInt(good.length());
                while (at + 1 == good.length() || good.charAt(at) == '.' || good.charAt(at + 1) == '.') {
                    at = random.nextInt(good.length());
                }
                char other = good.charAt(at) == 'A' ? 'B' : 'A';
                String bad = good.substring(0, at) + other + good.substring(at + 1);
                for (String path : PATHS) {
                    assertThat(service.get(path, bad).statusCode())
                            .as("seed %d, %s changed at %d, %s", seed, name, at, path)
                            .isEqualTo(401);
                }
            }
        }
    }

    @Test
    void otherPlacesForATokenAreNotRead() {
        String good = tokens.get("user");
        assertThat(service.get(USERS + "?access_token=" + good, null).statusCode())
                .isEqualTo(401);
        HttpRequest.Builder basic = service.request(USERS, null).header("Authorization", "Basic " + good);
        assertThat(service.send(basic.GET()).statusCode()).isEqualTo(401);
        HttpRequest.Builder cookie = service.request(USERS, null).header("Cookie", "token=" + good);
        assertThat(service.send(cookie.GET()).statusCode()).isEqualTo(401);
    }

    static void assertProblem(HttpResponse<String> answer) {
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .as(answer.statusCode() + " " + answer.body())
                .startsWith("application/problem+json");
        assertThat(answer.body()).contains("\"status\":" + answer.statusCode(), "\"type\":\"/problems/", "\"code\":\"");
        assertThat(answer.body()).doesNotContain("Exception", "io.muster", "org.springframework", "at java.", ".java:");
    }

    private static Object[] row(String name, int users, int node, int services) {
        return new Object[] {name, List.of(users, node, services)};
    }

    private static Map<String, String> tokens() throws Exception {
        Clock now = NOW;
        Clock hourAgo = Clock.offset(NOW, Duration.ofHours(-1));
        // clocks may differ by 5 s
        Clock justOver = Clock.offset(NOW, Duration.ofSeconds(-64));
        Clock tooLong = Clock.offset(NOW, Duration.ofSeconds(-66));
        IdentityKeys.createMissing(folder.resolve("foreign"));
        RSAPrivateKey gateway = KeyFiles.privateKey(service.keys.resolve(IdentityKeys.GATEWAY_PRIVATE));
        RSAPrivateKey node = KeyFiles.privateKey(service.keys.resolve(IdentityKeys.NODE_PRIVATE));
        RSAPrivateKey foreign = KeyFiles.privateKey(folder.resolve("foreign").resolve(IdentityKeys.GATEWAY_PRIVATE));
        Path publicPem = service.keys.resolve(IdentityKeys.GATEWAY_PUBLIC);
        byte[] secret = KeyFiles.secret(service.keys.resolve(IdentityKeys.SERVICE_SECRET))
                .getEncoded();
        UserCaller user = new UserCaller(new TenantId("acme"), List.of(), Role.ADMIN, "key_1");

        Map<String, String> made = new LinkedHashMap<>();
        made.put("user", service.userTokens(now).issue(user));
        made.put(
                "user of a project",
                service.userTokens(now)
                        .issue(new UserCaller(
                                new TenantId("acme"), List.of(new ProjectId("llm")), Role.ENGINEER, "key_1")));
        made.put("user, expired", service.userTokens(hourAgo).issue(user));
        made.put("user, beyond the skew", service.userTokens(tooLong).issue(user));
        made.put("user, within the skew", service.userTokens(justOver).issue(user));
        made.put("user, without end", rs(gateway, JWSAlgorithm.RS256, claims().expirationTime(null)));
        made.put("user, without tenant", rs(gateway, JWSAlgorithm.RS256, claims().claim("tenant", null)));
        made.put("user, without projects", rs(gateway, JWSAlgorithm.RS256, claims().claim("projects", null)));
        made.put(
                "user, projects not a list of names",
                rs(gateway, JWSAlgorithm.RS256, claims().claim("projects", List.of("../x"))));
        made.put("user, unknown role", rs(gateway, JWSAlgorithm.RS256, claims().claim("role", "ROOT")));
        made.put("user, signed with the node key", rs(node, JWSAlgorithm.RS256, claims()));
        made.put("user, signed with another installation's key", rs(foreign, JWSAlgorithm.RS256, claims()));
        made.put(
                "user, HS256 with the public key as secret",
                hs(KeyFiles.publicKey(publicPem).getEncoded(), claims()));
        made.put("user, HS256 with the PEM text as secret", hs(Files.readAllBytes(publicPem), claims()));
        made.put("user, HS256 with the services' secret", hs(secret, claims()));
        made.put("user, RS512", rs(gateway, JWSAlgorithm.RS512, claims()));
        made.put("user, alg none", new PlainJWT(claims().build()).serialize());
        made.put("user, tampered claims", tampered(rs(gateway, JWSAlgorithm.RS256, claims())));
        made.put("user, signature cut off", cut(rs(gateway, JWSAlgorithm.RS256, claims())));
        made.put(
                "user, key in its own header",
                ownKey(foreign, folder.resolve("foreign").resolve(IdentityKeys.GATEWAY_PUBLIC)));
        made.put(
                "node r1-n1",
                service.nodeTokens(now)
                        .issue(new NodeId("r1-n1"), Duration.ofHours(24))
                        .value());
        made.put(
                "node r1-n2",
                service.nodeTokens(now)
                        .issue(new NodeId("r1-n2"), Duration.ofHours(24))
                        .value());
        made.put("node R1-N1", rs(node, JWSAlgorithm.RS256, nodeClaims().subject("R1-N1")));
        made.put(
                "node, expired",
                service.nodeTokens(hourAgo)
                        .issue(new NodeId("r1-n1"), Duration.ofMinutes(5))
                        .value());
        made.put("node, signed with the gateway key", rs(gateway, JWSAlgorithm.RS256, nodeClaims()));
        made.put("node, signed with the services' secret", hs(secret, nodeClaims()));
        made.put("node, alg none", new PlainJWT(nodeClaims().build()).serialize());
        made.put("service for job", service.serviceTokens("quota", now).bearerFor("job"));
        made.put("service for quota", service.serviceTokens("job", now).bearerFor("quota"));
        made.put("service for job and quota", hs(secret, serviceClaims().audience(List.of("job", "quota"))));
        made.put("service for nobody", hs(secret, serviceClaims().audience((String) null)));
        made.put("service, expired", service.serviceTokens("quota", hourAgo).bearerFor("job"));
        made.put("service, other secret", hs(new byte[32], serviceClaims()));
        made.put("service, RS256 with the gateway key", rs(gateway, JWSAlgorithm.RS256, serviceClaims()));
        made.put("unknown issuer", rs(gateway, JWSAlgorithm.RS256, claims().issuer("muster-quota")));
        made.put("no issuer", rs(gateway, JWSAlgorithm.RS256, claims().issuer(null)));
        made.put("garbage", "garbage");
        made.put("three garbage parts", "a.b.c");
        made.put("empty parts", "..");
        made.put("api key", "mk_0123456789_abcdefghijklmnopqrstuvwxyz");
        return made;
    }

    private static JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .issuer("muster-gateway")
                .subject("key_1")
                .claim("tenant", "acme")
                .claim("projects", List.of())
                .claim("role", "ADMIN")
                .issueTime(Date.from(NOW.instant()))
                .expirationTime(Date.from(NOW.instant().plusSeconds(60)));
    }

    private static JWTClaimsSet.Builder nodeClaims() {
        return new JWTClaimsSet.Builder()
                .issuer("muster-health")
                .subject("r1-n1")
                .expirationTime(Date.from(NOW.instant().plusSeconds(60)));
    }

    private static JWTClaimsSet.Builder serviceClaims() {
        return new JWTClaimsSet.Builder()
                .issuer("muster-services")
                .subject("quota")
                .audience("job")
                .expirationTime(Date.from(NOW.instant().plusSeconds(60)));
    }

    private static String rs(RSAPrivateKey key, JWSAlgorithm algorithm, JWTClaimsSet.Builder claims) throws Exception {
        return signed(new JWSHeader.Builder(algorithm).type(JOSEObjectType.JWT).build(), new RSASSASigner(key), claims);
    }

    private static String hs(byte[] secret, JWTClaimsSet.Builder claims) throws Exception {
        return signed(new JWSHeader(JWSAlgorithm.HS256), new MACSigner(secret), claims);
    }

    private static String ownKey(RSAPrivateKey key, Path publicKey) throws Exception {
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .jwk(new com.nimbusds.jose.jwk.RSAKey.Builder(KeyFiles.publicKey(publicKey)).build())
                .build();
        return signed(header, new RSASSASigner(key), claims());
    }

    private static String signed(JWSHeader header, JWSSigner signer, JWTClaimsSet.Builder claims) throws Exception {
        SignedJWT token = new SignedJWT(header, claims.build());
        token.sign(signer);
        return token.serialize();
    }

    private static String tampered(String token) {
        List<String> parts = List.of(token.split("\\.", -1));
        String claims = new String(Base64.getUrlDecoder().decode(parts.get(1)), java.nio.charset.StandardCharsets.UTF_8)
                .replace("\"acme\"", "\"evil\"");
        return parts.get(0) + "."
                + Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(claims.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                + "." + parts.get(2);
    }

    private static String cut(String token) {
        return token.substring(0, token.lastIndexOf('.') + 1);
    }
}

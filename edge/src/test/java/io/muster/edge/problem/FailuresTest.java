package io.muster.edge.problem;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.TenantId;
import io.muster.edge.SmallService;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.PageToken;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever goes wrong, wherever: the answer is a problem, and nothing of our insides is in it. */
final class FailuresTest {

    @TempDir
    static Path folder;

    private static SmallService service;
    private static String user;
    private static String peer;

    @BeforeAll
    static void start() {
        Clock clock = Clock.systemUTC();
        service = new SmallService("job", folder, clock, Map.of());
        user = service.userTokens(clock).issue(new UserCaller(new TenantId("acme"), List.of(), Role.ADMIN, "key_1"));
        peer = service.serviceTokens("quota", clock).bearerFor("job");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"name":"a","nodes":2,"nods":3}                | INVALID_BODY   | /nods        | Did you mean 'nodes'?
            {"name":"a","nodes":2,"zzzzzzzz":3}            | INVALID_BODY   | /zzzzzzzz    | Leave it out
            {"name":"a","nodes":"two"}                     | INVALID_BODY   | /nodes       | whole number
            {"name":"a","nodes":"2"}                       | INVALID_BODY   | /nodes       | whole number
            {"name":"a","nodes":2.5}                       | INVALID_BODY   | /nodes       | whole number
            {"name":"a","nodes":null}                      | INVALID_BODY   | /nodes       | is missing; it must be a whole number
            {"name":"a"}                                   | INVALID_BODY   | /nodes       | is missing
            {"name":"a","nodes":99999999999}               | INVALID_BODY   | /nodes       | range
            {"name":7,"nodes":2}                           | INVALID_BODY   | /name        | text
            {"name":["a"],"nodes":2}                       | INVALID_BODY   | /name        | text
            {"name":"a","nodes":2,"mode":"ANY"}            | INVALID_BODY   | /mode        | REQUIRED, PREFERRED
            {"name":"a","nodes":2,"queue":"a//b"}          | INVALID_BODY   | /queue       | not a queue path
            {"name":"a","nodes":2,"parts":[{"size":1},{"size":1,"siz":2}]} | INVALID_BODY | /parts/1/siz | Did you mean 'size'?
            {"name":"a","nodes":2,"parts":{}}              | INVALID_BODY   | /parts       | list
            {"name":"a","nodes":2,"at":"yesterday"}        | INVALID_BODY   | /at          | UTC time
            {"name":"a","nodes":2,"weight":"heavy"}        | INVALID_BODY   | /weight      | number
            [1]                                            | INVALID_BODY   | ``           | object
            "text"                                         | INVALID_BODY   | ``           | object
            {"name":"a","nodes":2} {}                      | MALFORMED_JSON,INVALID_BODY | ``  | ``
            {"name":"a","name":"b","nodes":2}              | MALFORMED_JSON,INVALID_BODY | ``  | name
            {"name":"a",                                   | MALFORMED_JSON,INVALID_BODY | ``  | ``
            {'name':'a'}                                   | MALFORMED_JSON,INVALID_BODY | ``  | line 1
            nonsense                                       | MALFORMED_JSON,INVALID_BODY | ``  | ``
            ``                                             | MALFORMED_JSON,INVALID_BODY | ``  | ``
            """)
    void bodiesThatDoNotFit(String body, String codes, String pointer, String says) {
        HttpResponse<String> answer = service.post("/api/v1/shapes", user, body);
        assertProblem(answer, 400);
        assertThat(List.of(codes.split(",", -1)))
                .anySatisfy(code -> assertThat(answer.body()).contains("\"code\":\"" + code));
        if (!pointer.isEmpty()) {
            assertThat(answer.body()).contains("\"pointer\":\"" + pointer + "\"");
        }
        assertThat(answer.body()).contains(says);
    }

    @Test
    void aGoodBodyIsTaken() {
        String body =
                "{\"name\":\"a\",\"nodes\":2,\"queue\":\"nlp/pretrain\",\"mode\":\"REQUIRED\",\"at\":\"2026-01-31T12:00:00Z\"}";
        assertThat(service.post("/api/v1/shapes", user, body).statusCode()).isEqualTo(200);
    }

    @Test
    void aNewerServiceMaySendFieldsWeDoNotKnow() {
        HttpResponse<String> answer =
                service.post("/internal/services/shapes", peer, "{\"name\":\"a\",\"news\":{\"x\":[1]},\"nodes\":2}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("\"nodes\":2");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void noHostileBodyIsOurFault(long seed) {
        Random random = new Random(seed);
        String[] pieces = {
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\u0000",
            "\\",
            "1e999",
            "-",
            "null",
            "true",
            "\"name\"",
            "\"nodes\"",
            "\"parts\"",
            "NaN",
            "\u0000",
            "\ud83d",
            "é",
            "[".repeat(2000),
            "9".repeat(1500),
            "//x\n",
            " "
        };
        for (int i = 0; i < 60; i++) {
            StringBuilder body = new StringBuilder(random.nextBoolean() ? "{\"name\":" : "");
            for (int j = random.nextInt(12); j >= 0; j--) {
                body.append(pieces[random.nextInt(pieces.length)]);
            }
            HttpResponse<String> answer = service.post("/api/v1/shapes", user, body.toString());
            assertThat(answer.statusCode())
                    .as("seed %d: %s -> %s", seed, body, answer.body())
                    .isEqualTo(400);
            assertProblem(answer, 400);
        }
    }

    @Test
    void parametersThatDoNotFit() {
        assertThat(job("job_01k9x3v7q2m4n8p6r0s1t5w9ya?count=1", "\"1\"").statusCode())
                .isEqualTo(200);
        HttpResponse<String> id = job("nope?count=1", "\"1\"");
        assertProblem(id, 400);
        assertThat(id.body()).contains("not a JobId: 'nope'", "\"pointer\":\"/id\"");
        HttpResponse<String> count = job("job_01k9x3v7q2m4n8p6r0s1t5w9ya?count=x", "\"1\"");
        assertProblem(count, 400);
        assertThat(count.body()).contains("/count", "whole number");
        HttpResponse<String> missing = job("job_01k9x3v7q2m4n8p6r0s1t5w9ya", "\"1\"");
        assertProblem(missing, 400);
        assertThat(missing.body()).contains("count");
        HttpResponse<String> header = service.get("/api/v1/jobs/job_01k9x3v7q2m4n8p6r0s1t5w9ya?count=1", user);
        assertProblem(header, 400);
        assertThat(header.body()).contains("If-Match");
    }

    @ParameterizedTest
    @CsvSource({
        "null,500,INTERNAL_ERROR",
        "error,500,INTERNAL_ERROR",
        "checked,500,INTERNAL_ERROR",
        "other,500,INTERNAL_ERROR",
        "race,409,CONFLICT",
        "database,503,SERVICE_UNAVAILABLE"
    })
    void whateverAControllerThrows(String how, int status, String code) {
        HttpResponse<String> answer = service.get("/api/v1/fails/" + how, user);
        assertProblem(answer, status);
        assertThat(answer.body()).contains("\"code\":\"" + code + "\"", "\"retryable\":" + (status == 503));
        assertThat(answer.body()).doesNotContain("secret");
    }

    @Test
    void theRequestIdIsInTheAnswerAndItsHeaderAndTheCallersIsKept() {
        String id = "0af7651916cd43dd8448eb211c80319c";
        HttpResponse<String> answer = service.send(
                service.request("/api/v1/fails/null", user).header("traceparent", "00-" + id + "-b7ad6b7169203331-01"));
        assertThat(answer.body()).contains("\"traceId\":\"" + id + "\"");
        assertThat(answer.headers().firstValue("X-Request-Id")).contains(id);
        HttpResponse<String> forged =
                service.send(service.request("/api/v1/fails/null", user).header("traceparent", "00-<script>-1-01"));
        assertThat(forged.headers().firstValue("X-Request-Id").orElse("")).matches("[0-9a-f]{32}");
    }

    @Test
    void whateverTheFrameworkRefuses() {
        assertProblem(service.send(service.request("/api/v1/who", user).DELETE()), 405);
        assertProblem(
                service.send(service.request("/api/v1/shapes", user)
                        .header("Content-Type", "text/csv")
                        .POST(HttpRequest.BodyPublishers.ofString("a,b"))),
                415);
        assertProblem(
                service.send(service.request("/api/v1/shapes", user)
                        .header("Accept", "image/png")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"a\",\"nodes\":1}"))),
                406);
        assertProblem(service.send(service.request("/api/v1/refusal", user).header("Accept", "text/html")), 409);
        assertProblem(service.send(service.request("/api/v1/nothing", user).header("Accept", "text/html")), 404);
        assertProblem(service.get("/api/v1/nothing", user), 404);
        assertProblem(service.get("/api/v1/pages?pageToken=x", user), 400);
        assertThat(service.get("/api/v1/pages?pageToken=" + new PageToken("job_é").encoded(), user)
                        .body())
                .isEqualTo("job_é");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?pageToken=%c0%ae",
                "?%c0%ae=1",
                "?pageToken=%zz",
                "?pageToken=%",
                "?%ff",
                "?page%00Token=1",
                "?%0aname=1",
                "?&&=&pageToken=%e2%82"
            })
    void queriesThatCannotBeDecoded(String query) throws IOException {
        String answer = raw("GET /api/v1/pages" + query
                + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer " + user + "\r\n\r\n");
        assertThat(answer)
                .startsWith("HTTP/1.1 400")
                .contains("application/problem+json")
                .doesNotContain("Exception");
    }

    @Test
    void bodiesAboveTheLimit() {
        String atLimit = padded(BodyLimitFilter.API_LIMIT);
        assertThat(service.post("/api/v1/shapes", user, atLimit).statusCode()).isEqualTo(200);
        assertProblem(service.post("/api/v1/shapes", user, atLimit + " "), 413);
        assertThat(chunked("/api/v1/shapes", user, atLimit).statusCode()).isEqualTo(200);
        assertProblem(chunked("/api/v1/shapes", user, atLimit + " "), 413);
        HttpRequest.Builder ignored =
                service.request("/api/v1/ignores-body", user).PUT(HttpRequest.BodyPublishers.ofString(atLimit + " "));
        assertProblem(service.send(ignored), 413);
        assertThat(service.post("/internal/services/shapes", peer, atLimit + " ")
                        .statusCode())
                .isEqualTo(200);
        assertProblem(service.post("/internal/join", null, padded(BodyLimitFilter.INTERNAL_LIMIT) + " "), 413);
    }

    @Test
    void aWholeQuotaTreeHasALimitOfItsOwnAndNothingElseHasIt() {
        String atLimit = padded(BodyLimitFilter.QUOTA_TREE_LIMIT);
        assertThat(putTree("/api/v1/quota/tree", atLimit).statusCode()).isEqualTo(200);
        assertThat(putTree("/api/v1/quota/tree?dryRun=true", atLimit).statusCode())
                .isEqualTo(200);
        HttpResponse<String> above = putTree("/api/v1/quota/tree", atLimit + " ");
        assertProblem(above, 413);
        assertThat(above.body()).contains("4194304 bytes");
        String large = padded(BodyLimitFilter.API_LIMIT) + " ";
        for (String path : List.of(
                "/api/v1/quota/trees",
                "/api/v1/quota/tree/",
                "/api/v1/quota",
                "/api/v1/quota/nodes/tree",
                "/api/v1/ignores-body?to=/api/v1/quota/tree")) {
            assertProblem(putTree(path, large), 413);
        }
    }

    private HttpResponse<String> putTree(String path, String body) {
        return service.send(service.request(path, user)
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/v1/who HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n",
                "GET /a\u0001b HTTP/1.1\r\nHost: a\r\n\r\n",
                "G@T / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /{x} HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /a%2fb HTTP/1.1\r\nHost: a\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST /api/v1/who HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
                "GET //x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /a;b=c HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /a/../b HTTP/1.1\r\nHost: a:b:c\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: a\r\n\r\n"
            })
    void whatTheContainerRefuses(String request) throws IOException {
        String answer = raw(request);
        assertThat(answer).containsPattern("^HTTP/1.1 (4\\d\\d|50[15]) ");
        assertThat(answer.toLowerCase(java.util.Locale.ROOT)).contains("content-type: application/problem+json");
        assertThat(answer)
                .contains("\"status\":" + answer.substring(9, 12))
                .doesNotContain("<html", "Exception", "org.apache", "Tomcat");
    }

    private static String raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", service.port())) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static HttpResponse<String> job(String rest, String match) {
        return service.send(service.request("/api/v1/jobs/" + rest, user).header("If-Match", match));
    }

    private static HttpResponse<String> chunked(String path, String token, String body) {
        return service.send(service.request(path, token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)))));
    }

    private static String padded(int length) {
        String body = "{\"name\":\"a\",\"nodes\":2}";
        return body + " ".repeat(length - body.length());
    }

    private static void assertProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(answer.body())
                .contains("\"status\":" + status, "\"type\":\"/problems/", "\"traceId\":\"")
                .doesNotContain(
                        "Exception", "io.muster", "org.springframework", "tools.jackson", "java.lang", ".java:");
    }
}

package io.muster.edge.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import io.muster.contract.problem.Problem;
import io.muster.edge.SmallService;
import io.muster.edge.problem.ProblemException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** One service calling another, two contexts in this JVM. */
final class ServiceClientsTest {

    record Answer(int nodes) {}

    @TempDir
    Path folder;

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private HttpServer other;
    private volatile int status = 200;
    private volatile String answer = "{\"nodes\":3,\"unknown\":true}";

    @BeforeEach
    void start() throws IOException {
        IdentityKeys.createMissing(folder);
        other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            seen.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders()
                    .set("Content-Type", status == 200 ? "application/json" : "application/problem+json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        other.start();
    }

    @AfterEach
    void stop() {
        other.stop(0);
    }

    @Test
    void twoServicesInOneJvmTalkToEachOtherWithTheirOwnNames() {
        try (SmallService job = new SmallService("job", folder, Clock.systemUTC(), Map.of());
                SmallService quota = new SmallService(
                        "quota",
                        folder,
                        Clock.systemUTC(),
                        Map.of("muster.services.job.url", "http://127.0.0.1:" + job.port()))) {
            String body = quota.bean(ServiceClients.class)
                    .to("job")
                    .get()
                    .uri("/internal/services/ping")
                    .retrieve()
                    .body(String.class);
            assertThat(body).isEqualTo("quota");
        }
    }

    @Test
    void anUnknownFieldOfANewerServiceIsIgnored() {
        assertThat(call(url()).nodes()).isEqualTo(3);
        assertThat(seen).hasSize(1).allSatisfy(header -> assertThat(header).startsWith("Bearer ey"));
    }

    @Test
    void aProblemComesThroughAsItIs() {
        status = 409;
        answer = JsonMapper.shared()
                .writeValueAsString(Problem.of(409, "FENCED", "Fenced", "attempt 2 has begun", null));
        assertThat(failure(url()).code()).isEqualTo("FENCED");
    }

    @Test
    void anythingElseIsTheOtherServiceNotBeingAvailable() throws IOException {
        for (int refused : List.of(401, 403, 500, 502, 404)) {
            status = refused;
            answer = "<html>oops</html>";
            assertUnavailable(failure(url()));
        }
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertUnavailable(failure(URI.create("http://127.0.0.1:" + silent.getLocalPort())));
        }
        other.stop(0);
        assertUnavailable(failure(url()));
    }

    private static void assertUnavailable(Problem problem) {
        assertThat(problem.status()).isEqualTo(503);
        assertThat(problem.retryable()).isTrue();
        assertThat(problem.detail()).contains("scheduler-service");
    }

    private URI url() {
        return URI.create("http://127.0.0.1:" + other.getAddress().getPort());
    }

    private Problem failure(URI url) {
        ProblemException[] thrown = new ProblemException[1];
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> call(url))
                .satisfies(e -> thrown[0] = e);
        return thrown[0].problem();
    }

    private Answer call(URI url) {
        ServiceTokens tokens = new ServiceTokens(folder.resolve(IdentityKeys.SERVICE_SECRET), "job", Clock.systemUTC());
        ServiceAddresses addresses = new ServiceAddresses(null, null, new ServiceAddresses.Address(url), null, null);
        try (ServiceClients clients = new ServiceClients(addresses, tokens, JsonMapper.shared())) {
            Answer body = clients.to("scheduler").get().uri("/x").retrieve().body(Answer.class);
            assertThat(body).isNotNull();
            return body;
        }
    }
}

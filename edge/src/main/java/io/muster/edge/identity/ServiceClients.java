package io.muster.edge.identity;

import io.muster.contract.problem.Problem;
import io.muster.edge.problem.ProblemException;
import io.muster.edge.trace.Trace;
import java.io.IOException;
import java.net.http.HttpClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.client.RestClient;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls to the other services, with this service's token and the id of the request at work. A service that does not
 * answer in time, or refuses this service's token, is a {@link ProblemException} 503 that names it; any other refusal is
 * the other service's own problem as a {@link ProblemException}.
 */
public final class ServiceClients implements AutoCloseable {

    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
    static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

    private final ServiceAddresses addresses;
    private final ServiceTokens tokens;
    private final JsonMapper json;
    private final HttpClient http;
    private final RandomGenerator random = new SecureRandom();
    private final Map<String, RestClient> clients = new ConcurrentHashMap<>();

    public ServiceClients(ServiceAddresses addresses, ServiceTokens tokens, JsonMapper json) {
        this.addresses = addresses;
        this.tokens = tokens;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    /** @param service the service called, without {@code -service} */
    public RestClient to(String service) {
        return clients.computeIfAbsent(service, this::client);
    }

    private RestClient client(String service) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(http);
        requests.setReadTimeout(READ_TIMEOUT);
        return RestClient.builder()
                .baseUrl(addresses.of(service))
                .requestFactory(requests)
                .configureMessageConverters(converters ->
                        converters.registerDefaults().withJsonConverter(new JacksonJsonHttpMessageConverter(json)))
                .requestInterceptor((request, body, execution) -> send(service, request, body, execution))
                .defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
                    throw new ProblemException(refusal(service, response));
                })
                .build();
    }

    private ClientHttpResponse send(
            String service, HttpRequest request, byte[] body, ClientHttpRequestExecution execution) {
        request.getHeaders().setBearerAuth(tokens.bearerFor(service));
        @Nullable String trace = Trace.current();
        if (trace != null) {
            request.getHeaders().set(Trace.HEADER, Trace.toSend(trace, random));
        }
        try {
            return execution.execute(request, body);
        } catch (IOException e) {
            throw new ProblemException(
                    unavailable(service, "it did not answer at " + addresses.of(service) + " in time"), e);
        }
    }

    private Problem refusal(String service, ClientHttpResponse response) throws IOException {
        int status = response.getStatusCode().value();
        if (status == 401 || status == 403) {
            return unavailable(
                    service,
                    "it refused the token of this service (" + status
                            + "); compare the clocks of both machines and their file muster.identity.service-secret");
        }
        try {
            @Nullable Problem problem = json.readValue(response.getBody().readAllBytes(), Problem.class);
            if (problem != null && problem.status() == status) {
                return problem;
            }
        } catch (JacksonException | NullPointerException | IllegalArgumentException e) {
            return unavailable(service, "it answered " + status + " without a problem document");
        }
        return unavailable(service, "it answered " + status + " without a problem document");
    }

    private static Problem unavailable(String service, String why) {
        return Problem.of(
                503,
                "SERVICE_UNAVAILABLE",
                "A part of Muster does not answer",
                service + "-service is not available: " + why + ".",
                "Try again in a few seconds.");
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}

package io.muster.gateway.routing;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.muster.edge.identity.CallerAuthentication;
import io.muster.edge.identity.ServiceAddresses;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.trace.Trace;
import java.net.http.HttpClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.filter.HttpHeadersFilter.RequestHttpHeadersFilter;
import org.springframework.cloud.gateway.server.mvc.filter.HttpHeadersFilter.ResponseHttpHeadersFilter;
import org.springframework.cloud.gateway.server.mvc.handler.ProxyExchangeHandlerFunction;
import org.springframework.cloud.gateway.server.mvc.handler.RestClientProxyExchange;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.client.RestClient;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Puts {@link RouteTable} in front of the gateway's proxy. */
@Configuration(proxyBeanMethods = false)
class RoutingConfiguration {

    private static final int STREAM_BUFFER_BYTES = 8_192;

    @Bean
    RouterFunction<ServerResponse> publicPaths(Passage passage) {
        return request -> switch (RouteTable.match(request.method(), request.path())) {
            case Match.Routed routed -> Optional.of(passing -> passage.pass(passing, routed));
            case Match.OtherMethod(var allowed) ->
                Optional.of(refused -> Passage.refused(
                        RoutingRefusals.methodNotAllowed(refused.method().name(), allowed)));
            case Match.Elsewhere() -> Optional.empty();
        };
    }

    @Bean
    Passage passage(
            BulkheadRegistry lanes,
            CircuitBreakerRegistry breakers,
            ServiceAddresses addresses,
            RoutingSettings settings,
            ProxyExchangeHandlerFunction shortAnswers,
            ProxyExchangeHandlerFunction followedAnswers,
            ProxyExchangeHandlerFunction streamedAnswers) {
        Proxies proxies = new Proxies(shortAnswers, followedAnswers, streamedAnswers);
        return new Passage(lanes, breakers, addresses, settings, proxies);
    }

    @Bean(destroyMethod = "shutdownNow")
    HttpClient upstreamClient(RoutingSettings settings) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.connectTimeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    @Bean
    ProxyExchangeHandlerFunction shortAnswers(
            HttpClient client,
            RoutingSettings settings,
            GatewayMvcProperties properties,
            ObjectProvider<RequestHttpHeadersFilter> requests,
            ObjectProvider<ResponseHttpHeadersFilter> responses) {
        return new ProxyExchangeHandlerFunction(
                new RestClientProxyExchange(restClient(client, settings.readTimeout()), properties),
                requests,
                responses);
    }

    @Bean
    ProxyExchangeHandlerFunction followedAnswers(
            HttpClient client,
            RoutingSettings settings,
            ObjectProvider<RequestHttpHeadersFilter> requests,
            ObjectProvider<ResponseHttpHeadersFilter> responses) {
        return unbuffered(restClient(client, settings.logsTimeout()), requests, responses);
    }

    @Bean
    ProxyExchangeHandlerFunction streamedAnswers(
            HttpClient client,
            RoutingSettings settings,
            ObjectProvider<RequestHttpHeadersFilter> requests,
            ObjectProvider<ResponseHttpHeadersFilter> responses) {
        return unbuffered(restClient(client, settings.streamsTimeout()), requests, responses);
    }

    /** Passes every piece of an answer on at once instead of filling a buffer first. */
    private static ProxyExchangeHandlerFunction unbuffered(
            RestClient client,
            ObjectProvider<RequestHttpHeadersFilter> requests,
            ObjectProvider<ResponseHttpHeadersFilter> responses) {
        GatewayMvcProperties streaming = new GatewayMvcProperties();
        streaming.setStreamingBufferSize(STREAM_BUFFER_BYTES);
        streaming.setStreamingMediaTypes(List.of(
                MediaType.TEXT_PLAIN,
                MediaType.TEXT_EVENT_STREAM,
                MediaType.APPLICATION_NDJSON,
                MediaType.APPLICATION_OCTET_STREAM));
        return new ProxyExchangeHandlerFunction(new RestClientProxyExchange(client, streaming), requests, responses);
    }

    /** Last of all filters, so that nothing another filter adds passes by. */
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    RequestHttpHeadersFilter headersToService(CallerTokens tokens) {
        SecureRandom random = new SecureRandom();
        return (headers, request) -> {
            @Nullable String trace = Trace.current();
            String token = Passage.isStream(request) ? tokens.fresh(caller()) : tokens.of(caller());
            return PassedHeaders.toService(headers, token, trace == null ? null : Trace.toSend(trace, random));
        };
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    ResponseHttpHeadersFilter headersToCaller() {
        return (headers, response) -> PassedHeaders.toCaller(headers);
    }

    private static RestClient restClient(HttpClient client, Duration timeout) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(client);
        requests.setReadTimeout(timeout);
        return RestClient.builder().requestFactory(requests).build();
    }

    private static UserCaller caller() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof CallerAuthentication known
                        && known.getPrincipal() instanceof UserCaller user
                ? user
                : denied();
    }

    private static UserCaller denied() {
        throw new IllegalStateException("a request is routed without a caller; the security chain must not let it");
    }
}

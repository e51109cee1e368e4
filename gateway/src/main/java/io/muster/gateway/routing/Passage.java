package io.muster.gateway.routing;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.ServiceAddresses;
import io.muster.edge.problem.Problems;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Takes one request to its service and back: first a place in its lane, then the service's circuit breaker. The place is
 * kept until the answer is written, so a followed log or a stream counts for as long as it is read. The breaker counts what
 * reaches the caller's eye as the service failing: no answer in time, and 5xx. It has decided when an answer begins, so
 * it does not matter to it how a stream ends.
 */
final class Passage {

    private static final Logger log = LoggerFactory.getLogger(Passage.class);
    private static final String BREAKER_SETTINGS = "service";
    private static final String LANE = Passage.class.getName() + ".lane";

    private final BulkheadRegistry lanes;
    private final CircuitBreakerRegistry breakers;
    private final ServiceAddresses addresses;
    private final RoutingSettings settings;
    private final Proxies proxies;

    Passage(
            BulkheadRegistry lanes,
            CircuitBreakerRegistry breakers,
            ServiceAddresses addresses,
            RoutingSettings settings,
            Proxies proxies) {
        this.lanes = lanes;
        this.breakers = breakers;
        this.addresses = addresses;
        this.settings = settings;
        this.proxies = proxies;
    }

    ServerResponse pass(ServerRequest request, Match.Routed routed) {
        Optional<MediaType> type = request.headers().contentType();
        if (type.isPresent() && !MediaType.APPLICATION_JSON.equalsTypeAndSubtype(type.get())) {
            return refused(RoutingRefusals.notJson(type.get().toString()));
        }
        Lane taken = routed.route().laneFor(accept(request));
        request.attributes().put(LANE, taken);
        Bulkhead lane = lanes.bulkhead(taken.bulkhead());
        if (!lane.tryAcquirePermission()) {
            return refused(
                    RoutingRefusals.laneFull(taken, lane.getBulkheadConfig().getMaxConcurrentCalls()));
        }
        @Nullable ServerResponse answer = null;
        try {
            answer = call(request, routed, taken);
        } finally {
            if (answer == null) {
                lane.releasePermission();
            }
        }
        return new HeldResponse(answer, taken, lane::releasePermission);
    }

    /** What nobody can read asks for nothing in particular; the service refuses it. */
    private static List<MediaType> accept(ServerRequest request) {
        try {
            return request.headers().accept();
        } catch (InvalidMediaTypeException e) {
            return List.of();
        }
    }

    /** For what is asked while a request is on its way. */
    static boolean isStream(ServerRequest request) {
        return request.attribute(LANE).filter(Lane.STREAMS::equals).isPresent();
    }

    private ServerResponse call(ServerRequest request, Match.Routed routed, Lane lane) {
        Target target = routed.route().target();
        CircuitBreaker breaker = breakers.circuitBreaker(target.shortName(), BREAKER_SETTINGS);
        if (!breaker.tryAcquirePermission()) {
            return refused(RoutingRefusals.breakerOpen(target));
        }
        long start = breaker.getCurrentTimestamp();
        try {
            ServerResponse answer = proxies.of(lane).handle(rebuilt(request, routed));
            if (failed(answer, lane)) {
                breaker.onError(elapsed(breaker, start), TimeUnit.NANOSECONDS, new ServiceFailed(target));
            } else {
                breaker.onSuccess(elapsed(breaker, start), TimeUnit.NANOSECONDS);
            }
            return answer;
        } catch (ResourceAccessException e) {
            breaker.onError(elapsed(breaker, start), TimeUnit.NANOSECONDS, e);
            log.warn("{}-service does not answer: {}", target.shortName(), e.getMessage());
            return refused(RoutingRefusals.noAnswer(target, timeout(lane)));
        } catch (RuntimeException e) {
            // not the service's failure
            breaker.releasePermission();
            throw e;
        }
    }

    /** A service that has as many streams as it serves answers 503 and is as well as can be. */
    private static boolean failed(ServerResponse answer, Lane lane) {
        boolean full = lane == Lane.STREAMS && answer.statusCode().value() == 503;
        return answer.statusCode().is5xxServerError() && !full;
    }

    private static long elapsed(CircuitBreaker breaker, long start) {
        return breaker.getTimestampUnit().toNanos(breaker.getCurrentTimestamp() - start);
    }

    private Duration timeout(Lane lane) {
        return switch (lane) {
            case SUBMIT, READ -> settings.readTimeout();
            case LOGS -> settings.logsTimeout();
            case STREAMS -> settings.streamsTimeout();
        };
    }

    /** The same request for the rebuilt path at the service's address; nothing of the path as it was sent remains. */
    private ServerRequest rebuilt(ServerRequest request, Match.Routed routed) {
        URI base = addresses.of(routed.route().target().shortName());
        URI uri = UriComponentsBuilder.fromUri(base)
                .replacePath(routed.path())
                .build(true)
                .toUri();
        MvcUtils.setRequestUrl(request, base);
        return ServerRequest.from(request).uri(uri).build();
    }

    static ServerResponse refused(Problem problem) {
        ServerResponse.BodyBuilder answer =
                ServerResponse.status(problem.status()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (problem.retryable()) {
            answer.header(HttpHeaders.RETRY_AFTER, "1");
        }
        return answer.body(Problems.traced(problem));
    }

    /** What the breaker counts when a service answers that it failed. */
    private static final class ServiceFailed extends RuntimeException {

        ServiceFailed(Target target) {
            super(target.shortName() + "-service answered 5xx", null, false, false);
        }
    }
}

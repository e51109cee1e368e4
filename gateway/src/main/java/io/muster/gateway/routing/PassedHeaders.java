package io.muster.gateway.routing;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Which headers pass. Only those named here do, in either direction; so no header that a person sends can pretend to be
 * the gateway, another address or another caller, and no service's header contradicts the gateway's own.
 */
final class PassedHeaders {

    private static final List<String> TO_SERVICE = List.of(
            HttpHeaders.ACCEPT,
            HttpHeaders.ACCEPT_LANGUAGE,
            HttpHeaders.CONTENT_TYPE,
            HttpHeaders.IF_MATCH,
            HttpHeaders.IF_NONE_MATCH,
            HttpHeaders.USER_AGENT,
            "Idempotency-Key",
            "Last-Event-ID");

    private static final List<String> TO_CALLER = List.of(
            HttpHeaders.CACHE_CONTROL,
            HttpHeaders.CONTENT_DISPOSITION,
            HttpHeaders.CONTENT_LENGTH,
            HttpHeaders.CONTENT_TYPE,
            HttpHeaders.ETAG,
            HttpHeaders.RETRY_AFTER);

    private PassedHeaders() {}

    /** @param traceparent of this request, if it has an id */
    static HttpHeaders toService(HttpHeaders sent, String token, @Nullable String traceparent) {
        HttpHeaders passed = copy(sent, TO_SERVICE);
        passed.setBearerAuth(token);
        if (traceparent != null) {
            passed.set("traceparent", traceparent);
        }
        return passed;
    }

    /** A service's own address in {@code Location} stays inside. */
    static HttpHeaders toCaller(HttpHeaders answered) {
        HttpHeaders passed = copy(answered, TO_CALLER);
        @Nullable URI location = answered.getLocation();
        if (location != null && location.getRawPath() != null) {
            String query = location.getRawQuery() == null ? "" : "?" + location.getRawQuery();
            passed.set(HttpHeaders.LOCATION, location.getRawPath() + query);
        }
        return passed;
    }

    private static HttpHeaders copy(HttpHeaders from, List<String> names) {
        HttpHeaders copy = new HttpHeaders();
        for (String name : names) {
            @Nullable List<String> values = from.get(name);
            if (values != null) {
                copy.put(name, values);
            }
        }
        return copy;
    }
}

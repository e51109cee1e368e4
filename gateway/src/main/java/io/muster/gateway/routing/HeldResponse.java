package io.muster.gateway.routing;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.MultiValueMap;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * A response that gives something back once, when it has been written or could not be. A stream may break off anywhere:
 * its reader knows the last whole event and comes back, so that is an end and no failure.
 */
final class HeldResponse implements ServerResponse {

    private static final Logger log = LoggerFactory.getLogger(HeldResponse.class);

    private final ServerResponse response;
    private final Lane lane;
    private final Runnable release;
    private final AtomicBoolean released = new AtomicBoolean();

    HeldResponse(ServerResponse response, Lane lane, Runnable release) {
        this.response = response;
        this.lane = lane;
        this.release = release;
    }

    @Override
    public HttpStatusCode statusCode() {
        return response.statusCode();
    }

    @Override
    public HttpHeaders headers() {
        return response.headers();
    }

    @Override
    public MultiValueMap<String, Cookie> cookies() {
        return response.cookies();
    }

    @Override
    public @Nullable ModelAndView writeTo(HttpServletRequest request, HttpServletResponse target, Context context)
            throws ServletException, IOException {
        try {
            return response.writeTo(request, target, context);
        } catch (IOException e) {
            if (lane != Lane.STREAMS || !target.isCommitted()) {
                throw e;
            }
            log.debug("a stream broke off: {}", e.getMessage());
            return null;
        } finally {
            if (released.compareAndSet(false, true)) {
                release.run();
            }
        }
    }
}

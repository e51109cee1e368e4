package io.muster.gateway.routing;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.MultiValueMap;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.ServerResponse;

/** A response that gives something back once, when it has been written or could not be. */
final class HeldResponse implements ServerResponse {

    private final ServerResponse response;
    private final Runnable release;
    private final AtomicBoolean released = new AtomicBoolean();

    HeldResponse(ServerResponse response, Runnable release) {
        this.response = response;
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
        } finally {
            if (released.compareAndSet(false, true)) {
                release.run();
            }
        }
    }
}

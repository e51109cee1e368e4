package io.muster.edge.trace;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.random.RandomGenerator;
import org.slf4j.MDC;
import org.springframework.web.filter.OncePerRequestFilter;

/** Gives every request its id before anything else looks at it; the later dispatches of a request keep it. */
final class TraceFilter extends OncePerRequestFilter {

    private static final String ATTRIBUTE = TraceFilter.class.getName() + ".id";

    private final RandomGenerator random;

    TraceFilter(RandomGenerator random) {
        this.random = random;
    }

    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String id = request.getAttribute(ATTRIBUTE) instanceof String known
                ? known
                : Trace.idOf(request.getHeader(Trace.HEADER), random);
        request.setAttribute(ATTRIBUTE, id);
        response.setHeader(Trace.ANSWER_HEADER, id);
        MDC.put(Trace.LOG_KEY, id);
        try {
            chain.doFilter(request, response);
        } finally {
            MDC.remove(Trace.LOG_KEY);
        }
    }
}

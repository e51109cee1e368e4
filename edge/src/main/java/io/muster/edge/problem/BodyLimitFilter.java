package io.muster.edge.problem;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses bodies above the limit with 413 before anything reads them. A body of announced length is judged by the
 * announcement, which the container enforces; one without is read up to the limit first.
 */
public final class BodyLimitFilter extends OncePerRequestFilter {

    /** What people send. */
    public static final int API_LIMIT = 64 * 1024;

    /** What agents and services send: inventories, reports of many ranks, shard lists. */
    public static final int INTERNAL_LIMIT = 4 * 1024 * 1024;

    /** A whole quota tree: as many nodes as it may have do not fit into the other limit. */
    public static final int QUOTA_TREE_LIMIT = 4 * 1024 * 1024;

    private static final String QUOTA_TREE = "/api/v1/quota/tree";

    private final ProblemWriter writer;

    public BodyLimitFilter(ProblemWriter writer) {
        this.writer = writer;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        int limit = limit(request.getRequestURI());
        long announced = request.getContentLengthLong();
        if (announced > limit) {
            writer.write(response, Problems.tooLarge(limit));
            return;
        }
        if (announced >= 0 || request.getHeader("Transfer-Encoding") == null) {
            chain.doFilter(request, response);
            return;
        }
        byte[] body = request.getInputStream().readNBytes(limit + 1);
        if (body.length > limit) {
            writer.write(response, Problems.tooLarge(limit));
            return;
        }
        chain.doFilter(new ReadRequest(request, body), response);
    }

    private static int limit(String path) {
        if (path.startsWith("/internal/")) {
            return INTERNAL_LIMIT;
        }
        return path.equals(QUOTA_TREE) ? QUOTA_TREE_LIMIT : API_LIMIT;
    }

    /** A request whose body has been read. */
    private static final class ReadRequest extends HttpServletRequestWrapper {

        private final byte[] body;

        ReadRequest(HttpServletRequest request, byte[] body) {
            super(request);
            this.body = body;
        }

        @Override
        public ServletInputStream getInputStream() {
            return new ReadStream(new ByteArrayInputStream(body));
        }

        @Override
        public BufferedReader getReader() {
            return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
        }

        @Override
        public int getContentLength() {
            return body.length;
        }

        @Override
        public long getContentLengthLong() {
            return body.length;
        }
    }

    private static final class ReadStream extends ServletInputStream {

        private final ByteArrayInputStream bytes;

        ReadStream(ByteArrayInputStream bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return bytes.read(target, offset, length);
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new IllegalStateException("the body has been read; there is nothing to wait for");
        }
    }
}

package io.muster.edge.identity;

import io.muster.contract.problem.Problem;
import io.muster.edge.problem.ProblemWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;

/** Says no at the door: 404 where nothing is, else 401 without a valid token and 403 with one of the wrong kind. */
final class SecurityAnswers implements AuthenticationEntryPoint, AccessDeniedHandler {

    private final ProblemWriter writer;

    SecurityAnswers(ProblemWriter writer) {
        this.writer = writer;
    }

    static Door doorOf(HttpServletRequest request) {
        String info = request.getPathInfo();
        return Door.of(request.getMethod(), info == null ? request.getServletPath() : request.getServletPath() + info);
    }

    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        if (doorOf(request) instanceof Door.Wall) {
            writer.write(response, nothingHere(request));
            return;
        }
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        String detail = failure instanceof InvalidBearerTokenException
                ? "The token in the Authorization header is refused: " + failure.getMessage() + "."
                : "This path needs the header 'Authorization: Bearer <token>'.";
        writer.write(
                response,
                Problem.of(
                        401,
                        "UNAUTHENTICATED",
                        "Who is calling is not known",
                        detail,
                        "People call the gateway with an API key; agents and services renew their token and try again."));
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws IOException {
        Door door = doorOf(request);
        if (door instanceof Door.Wall) {
            writer.write(response, nothingHere(request));
            return;
        }
        @Nullable
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        @Nullable
        String refusal =
                authentication instanceof CallerAuthentication known ? door.refusal(known.getPrincipal()) : null;
        writer.write(
                response,
                Problem.of(
                        403,
                        "FORBIDDEN",
                        "Not for this caller",
                        refusal == null ? "This path is for other callers." : "Refused: " + refusal,
                        null));
    }

    private static Problem nothingHere(HttpServletRequest request) {
        return ProblemWriter.unknownPath(request.getMethod(), request.getRequestURI());
    }
}

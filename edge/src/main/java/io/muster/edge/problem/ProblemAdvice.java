package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * The last word on every failed request. What the framework refuses is explained; what Muster throws at its edge is
 * passed on; everything else is a bug: 500, its cause in the log only.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class ProblemAdvice extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

    @ExceptionHandler(ProblemException.class)
    ResponseEntity<Problem> edge(ProblemException e) {
        if (e.problem().status() >= 500) {
            log.warn("answering {} {}", e.problem().status(), e.getMessage());
        }
        return Problems.answer(e.problem());
    }

    @ExceptionHandler(ResourceAccessException.class)
    ResponseEntity<Problem> unreachable(ResourceAccessException e) {
        log.warn("another service did not answer: {}", e.getMessage());
        return Problems.answer(Problems.unavailable("Another service of Muster did not answer in time."));
    }

    /** The query is read, and its names and values looked at, only when it is asked for: what is wrong with it shows here. */
    @ExceptionHandler({InvalidParameterException.class, RequestRejectedException.class})
    ResponseEntity<Problem> query(RuntimeException e) {
        log.info("a query that cannot be decoded");
        return Problems.answer(ContainerFailures.problem(400));
    }

    @ExceptionHandler({AccessDeniedException.class, AuthenticationException.class})
    void security(RuntimeException e) {
        // the filter chain answers these
        throw e;
    }

    @ExceptionHandler(Throwable.class)
    ResponseEntity<Problem> bug(Throwable e) {
        log.error("a request failed on a fault of ours", e);
        return Problems.answer(Problems.internal());
    }

    @Override
    protected ResponseEntity<Object> handleExceptionInternal(
            Exception e, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        Problem problem =
                status.is5xxServerError() && status.value() != 503 ? Problems.internal() : problem(e, status.value());
        if (problem.status() >= 500) {
            log.error("a request failed in the framework", e);
        }
        ResponseEntity<Problem> answer = Problems.answer(problem, headers);
        return new ResponseEntity<>(answer.getBody(), answer.getHeaders(), answer.getStatusCode());
    }

    private static Problem problem(Exception e, int status) {
        return switch (e) {
            case HttpMessageNotReadableException unreadable -> JsonFailures.problem(unreadable.getCause());
            case MethodArgumentTypeMismatchException mismatch -> mismatch(mismatch.getName(), mismatch);
            case TypeMismatchException mismatch ->
                mismatch(mismatch.getPropertyName() == null ? "a parameter" : mismatch.getPropertyName(), mismatch);
            case MissingServletRequestParameterException missing ->
                parameter(missing.getParameterName(), "is missing; it is required", null, null);
            case MissingRequestHeaderException missing ->
                parameter(missing.getHeaderName(), "is missing; this header is required", null, null);
            case MethodArgumentNotValidException invalid ->
                violations(invalid.getBindingResult().getFieldErrors().stream()
                        .map(error -> new Violation(
                                "/" + error.getField().replace('.', '/'),
                                String.valueOf(error.getDefaultMessage()),
                                JsonFailures.shortened(String.valueOf(error.getRejectedValue())),
                                null)));
            case HandlerMethodValidationException invalid ->
                violations(invalid.getParameterValidationResults().stream()
                        .flatMap(result -> result.getResolvableErrors().stream()
                                .map(error -> new Violation(
                                        "/" + result.getMethodParameter().getParameterName(),
                                        String.valueOf(error.getDefaultMessage()),
                                        JsonFailures.shortened(String.valueOf(result.getArgument())),
                                        null))));
            case HttpRequestMethodNotSupportedException method ->
                Problem.of(
                        405,
                        "METHOD_NOT_ALLOWED",
                        "Not with this method",
                        "This path does not take " + method.getMethod() + ".",
                        method.getSupportedHttpMethods() == null
                                ? null
                                : "It takes " + String.join(", ", sorted(method.getSupportedHttpMethods())) + ".");
            case HttpMediaTypeNotSupportedException type ->
                Problem.of(
                        415,
                        "UNSUPPORTED_MEDIA_TYPE",
                        "Not in this format",
                        "This path does not take a body of type " + type.getContentType() + ".",
                        "Send JSON with the header 'Content-Type: application/json'.");
            default -> ofStatus(e, status);
        };
    }

    private static Problem ofStatus(Exception e, int status) {
        return switch (status) {
            case 404 ->
                Problem.of(
                        404,
                        "NOT_FOUND",
                        "Nothing here",
                        "There is nothing at this path.",
                        "The paths are in /api/v1/openapi.json of the gateway.");
            case 406 ->
                Problem.of(
                        406,
                        "NOT_ACCEPTABLE",
                        "Not in this format",
                        "This path cannot answer in the format that the Accept header asks for.",
                        "Send 'Accept: application/json'.");
            case 413 -> Problems.tooLarge(BodyLimitFilter.API_LIMIT);
            case 503 -> Problems.unavailable("The answer was not ready in time.");
            default ->
                Problem.of(
                        status,
                        "REQUEST_REFUSED",
                        "The request is refused",
                        e instanceof ErrorResponse known && known.getBody().getDetail() != null
                                ? String.valueOf(known.getBody().getDetail())
                                : "The request is not one that this path takes.",
                        null);
        };
    }

    private static Problem mismatch(String name, TypeMismatchException e) {
        Class<?> type = e.getRequiredType() == null ? Object.class : e.getRequiredType();
        String rejected = JsonFailures.shortened(String.valueOf(e.getValue()));
        @Nullable String own = ownMessage(e);
        return parameter(
                name,
                own == null ? "is not " + JsonFailures.what(type) : "is refused: " + own,
                rejected,
                JsonFailures.allowed(type));
    }

    /** The text of our own id types, which is made for people; the framework's texts name classes. */
    private static @Nullable String ownMessage(TypeMismatchException e) {
        Class<?> type = e.getRequiredType();
        if (type == null || !type.getName().startsWith("io.muster.")) {
            return null;
        }
        return Stream.iterate((Throwable) e, cause -> cause != null, Throwable::getCause)
                .reduce((outer, inner) -> inner)
                .filter(IllegalArgumentException.class::isInstance)
                .map(Throwable::getMessage)
                .filter(message -> !message.contains("io.muster."))
                .orElse(null);
    }

    private static Problem parameter(String name, String message, @Nullable String rejected, @Nullable String allowed) {
        return Problem.of(
                        400,
                        "INVALID_PARAMETER",
                        "A parameter is not valid",
                        "Parameter '" + name + "' " + message
                                + (rejected == null ? "." : " (it was '" + rejected + "')."),
                        null)
                .with(List.of(new Violation("/" + name, message, rejected, allowed)));
    }

    private static Problem violations(Stream<Violation> found) {
        List<Violation> all = found.toList();
        return Problem.of(
                        400,
                        "INVALID_BODY",
                        "The request is not what this path takes",
                        all.size() == 1 ? "One thing is wrong." : all.size() + " things are wrong.",
                        "Each is in violations; the schema is in /api/v1/openapi.json of the gateway.")
                .with(all);
    }

    private static List<String> sorted(Collection<HttpMethod> methods) {
        return methods.stream().map(String::valueOf).sorted().toList();
    }
}

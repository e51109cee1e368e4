package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * Says what is wrong with a JSON body, with a pointer to it. Jackson stops at the first fault, so there is one
 * violation; class names in its messages never get out.
 */
final class JsonFailures {

    private static final int SHOWN = 200;

    private JsonFailures() {}

    static Problem problem(@Nullable Throwable failure) {
        return switch (failure) {
            case UnrecognizedPropertyException e -> unknownField(e);
            case ValueInstantiationException e ->
                invalid(e, "does not hold a valid value: " + own(e.getCause()), null, null);
            case InvalidFormatException e ->
                invalid(
                        e,
                        "is not " + what(e.getTargetType()),
                        String.valueOf(e.getValue()),
                        allowed(e.getTargetType()));
            case MismatchedInputException e ->
                invalid(e, mismatch(e), null, e.getTargetType() == null ? null : what(e.getTargetType()));
            case InputCoercionException e ->
                invalid(e, "is not " + what(e.getTargetType()), null, what(e.getTargetType()));
            case StreamReadException e -> malformed(e);
            case JacksonException e
            when e.getCause() instanceof IllegalArgumentException cause ->
                invalid(e, "does not hold a valid value: " + own(cause), null, null);
            case JacksonException e -> malformed(e);
            case null, default ->
                Problem.of(
                        400,
                        "MALFORMED_JSON",
                        "The body cannot be read",
                        "The body is missing or is not JSON in UTF-8.",
                        "Send one JSON document with the header 'Content-Type: application/json'.");
        };
    }

    private static Problem unknownField(UnrecognizedPropertyException e) {
        Collection<String> known = e.getKnownPropertyIds() == null
                ? List.of()
                : e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList();
        String hint = NearestName.of(e.getPropertyName(), known)
                .map(name -> "Did you mean '" + name + "'?")
                .orElse("Leave it out.");
        return invalid(
                e, "is not a known field. " + hint, null, known.isEmpty() ? null : shortened(String.join(", ", known)));
    }

    private static Problem invalid(
            JacksonException e, String message, @Nullable String rejected, @Nullable String allowed) {
        String pointer = pointer(e);
        String subject = pointer.isEmpty() ? "The body" : pointer;
        return Problem.of(
                        400,
                        "INVALID_BODY",
                        "The body is not what this path takes",
                        subject + " " + shortened(message),
                        "The schema is in /api/v1/openapi.json of the gateway.")
                .with(List.of(new Violation(
                        pointer, shortened(message), rejected == null ? null : shortened(rejected), allowed)));
    }

    private static Problem malformed(JacksonException e) {
        TokenStreamLocation at = e.getLocation();
        String place =
                at == null || at.getLineNr() < 0 ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
        return Problem.of(
                400,
                "MALFORMED_JSON",
                "The body is not JSON",
                "The body is not well-formed JSON" + place + ": " + shortened(firstLine(e.getOriginalMessage())),
                "Check brackets, quotes and commas, names that occur twice, and that the text is UTF-8.");
    }

    private static String mismatch(MismatchedInputException e) {
        if (e.getMessage() != null && e.getOriginalMessage().startsWith("No content")) {
            return "is empty";
        }
        if (e.getTargetType() == null) {
            return "does not fit here";
        }
        boolean missing = e.getOriginalMessage().startsWith("Cannot map `null`");
        return (missing ? "is missing; it must be " : "is not ") + what(e.getTargetType());
    }

    private static String own(@Nullable Throwable cause) {
        // only our records' own constructors throw this, with a text made for people
        return cause instanceof IllegalArgumentException && cause.getMessage() != null
                ? cause.getMessage()
                : "it is missing or not allowed";
    }

    static String what(Class<?> type) {
        if (type.isEnum()) {
            return "one of " + allowed(type);
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == int.class
                || type == Integer.class
                || type == long.class
                || type == Long.class
                || type == short.class) {
            return "a whole number in range";
        }
        if (Number.class.isAssignableFrom(type) || type.isPrimitive()) {
            return "a number";
        }
        if (CharSequence.class.isAssignableFrom(type)) {
            return "a text";
        }
        if (Collection.class.isAssignableFrom(type) || type.isArray()) {
            return "a list";
        }
        if (type == java.time.Instant.class) {
            return "a UTC time such as 2026-01-31T12:00:00Z";
        }
        if (type == java.time.Duration.class) {
            return "a duration such as PT30M";
        }
        return type.getPackageName().startsWith("java.") ? "a valid value" : "an object of the documented form";
    }

    static @Nullable String allowed(Class<?> type) {
        return type.isEnum()
                ? Arrays.stream(type.getEnumConstants()).map(String::valueOf).collect(Collectors.joining(", "))
                : null;
    }

    private static String pointer(JacksonException e) {
        StringBuilder pointer = new StringBuilder();
        for (JacksonException.Reference step : e.getPath()) {
            pointer.append('/');
            if (step.getPropertyName() != null) {
                pointer.append(step.getPropertyName().replace("~", "~0").replace("/", "~1"));
            } else {
                pointer.append(Math.max(0, step.getIndex()));
            }
        }
        return shortened(pointer.toString());
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}

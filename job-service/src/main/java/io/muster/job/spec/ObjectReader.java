package io.muster.job.spec;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Reads one object of a spec field by field and notes whatever is wrong; a bad field reads as absent, so that reading
 * goes on and the rest is judged as well. JSON {@code null} is the same as leaving the field out.
 */
final class ObjectReader {

    private final JsonNode object;
    private final String pointer;
    private final Findings findings;

    private ObjectReader(JsonNode object, String pointer, Findings findings) {
        this.object = object;
        this.pointer = pointer;
        this.findings = findings;
    }

    /** Notes the object's unknown and not yet supported fields at once. */
    static ObjectReader of(JsonNode object, String pointer, Findings findings) {
        if (!object.isObject()) {
            findings.add(
                    pointer,
                    (pointer.isEmpty() ? "the job spec" : name(pointer)) + " must be an object, not " + kindOf(object),
                    object,
                    "a JSON object");
            return new ObjectReader(JsonNodeFactory.instance.objectNode(), pointer, findings);
        }
        noteStrangers(object, pointer, findings);
        return new ObjectReader(object, pointer, findings);
    }

    ObjectReader object(String field) {
        JsonNode value = value(field);
        return of(value == null ? JsonNodeFactory.instance.objectNode() : value, at(field), findings);
    }

    boolean has(String field) {
        return value(field) != null;
    }

    String at(String field) {
        return Findings.step(pointer, field);
    }

    void refuse(String field, String message, @Nullable String allowed) {
        findings.add(at(field), message, value(field), allowed);
    }

    void notYet(String field, String allowed) {
        findings.add(at(field), notYetMessage(at(field)), value(field), allowed);
    }

    Optional<String> text(String field, int min, int max) {
        JsonNode value = value(field);
        return value == null ? Optional.empty() : text(value, at(field), min, max);
    }

    /** A text that the given function understands; it answers empty for one that it does not. */
    <T> Optional<T> parsed(String field, Function<String, Optional<T>> parser, String allowed) {
        Optional<String> text = text(field, 0, 4096);
        Optional<T> parsed = text.flatMap(parser);
        if (text.isPresent() && parsed.isEmpty()) {
            refuse(
                    field,
                    name(at(field)) + " is '" + Findings.shortened(text.get(), 80) + "'; allowed: " + allowed,
                    allowed);
        }
        return parsed;
    }

    /** A text that becomes a value whose constructor may refuse it. */
    <T> Optional<T> built(String field, Function<String, T> constructor, String allowed) {
        return parsed(field, text -> made(text, constructor), allowed);
    }

    int integer(String field, int min, int max, int fallback) {
        JsonNode value = value(field);
        return value == null ? fallback : integer(value, at(field), min, max).orElse(fallback);
    }

    boolean flag(String field, boolean fallback) {
        JsonNode value = value(field);
        if (value == null || value.isBoolean()) {
            return value == null ? fallback : value.booleanValue();
        }
        findings.add(
                at(field), name(at(field)) + " must be true or false, not " + kindOf(value), value, "true or false");
        return fallback;
    }

    List<String> texts(String field, int maxElements, int minLength, int maxLength) {
        List<String> texts = new ArrayList<>();
        for (JsonNode element : elements(field, maxElements)) {
            String place = at(field) + "/" + texts.size();
            texts.add(text(element, place, minLength, maxLength).orElse(""));
        }
        return texts;
    }

    <T> List<T> builtList(String field, int maxElements, Function<String, T> constructor, String allowed) {
        List<T> built = new ArrayList<>();
        int index = 0;
        for (String text : texts(field, maxElements, 1, 256)) {
            Optional<T> made = made(text, constructor);
            if (made.isEmpty()) {
                String place = at(field) + "/" + index;
                findings.add(
                        place,
                        "'" + Findings.shortened(text, 80) + "' is not " + allowed,
                        element(field, index),
                        allowed);
            }
            made.ifPresent(built::add);
            index++;
        }
        return built;
    }

    Map<String, String> textMap(String field, int maxEntries, Pattern names, String allowedNames, int maxLength) {
        JsonNode map = value(field);
        Map<String, String> texts = new LinkedHashMap<>();
        if (map == null) {
            return texts;
        }
        if (!map.isObject()) {
            findings.add(
                    at(field),
                    name(at(field)) + " must be an object of texts, not " + kindOf(map),
                    map,
                    "a JSON object");
            return texts;
        }
        if (map.size() > maxEntries) {
            refuse(
                    field,
                    name(at(field)) + " has " + map.size() + " entries; at most " + maxEntries,
                    maxEntries + " entries");
            return texts;
        }
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
            String place = Findings.step(at(field), entry.getKey());
            if (!names.matcher(entry.getKey()).matches()) {
                findings.add(
                        place,
                        "'" + Findings.shortened(entry.getKey(), 80) + "' cannot be a name here; allowed: "
                                + allowedNames,
                        null,
                        allowedNames);
            }
            text(entry.getValue(), place, 0, maxLength).ifPresent(text -> texts.put(entry.getKey(), text));
        }
        return texts;
    }

    /** The value itself; null if the field is absent or JSON null. */
    @Nullable
    JsonNode value(String field) {
        JsonNode value = object.get(field);
        return value == null || value.isNull() ? null : value;
    }

    private List<JsonNode> elements(String field, int maxElements) {
        JsonNode array = value(field);
        if (array == null) {
            return List.of();
        }
        if (!array.isArray()) {
            findings.add(at(field), name(at(field)) + " must be a list, not " + kindOf(array), array, "a JSON array");
            return List.of();
        }
        if (array.size() > maxElements) {
            refuse(
                    field,
                    name(at(field)) + " has " + array.size() + " elements; at most " + maxElements,
                    "at most " + maxElements + " elements");
            return List.of();
        }
        return List.copyOf(array.values());
    }

    private @Nullable JsonNode element(String field, int index) {
        JsonNode array = value(field);
        return array == null ? null : array.get(index);
    }

    private Optional<String> text(JsonNode value, String place, int min, int max) {
        String allowed = "a text of " + min + " to " + max + " characters";
        if (!value.isString()) {
            String advice = value.isNumber() || value.isBoolean() ? "; put it in quotes" : "";
            findings.add(place, name(place) + " must be a text, not " + kindOf(value) + advice, value, allowed);
            return Optional.empty();
        }
        String text = value.stringValue();
        if (text.length() < min || text.length() > max) {
            findings.add(
                    place,
                    name(place) + " has " + text.length() + " characters; " + min + " to " + max + " are allowed",
                    value,
                    allowed);
            return Optional.empty();
        }
        if (text.indexOf('\0') >= 0 || !wellFormed(text)) {
            findings.add(
                    place,
                    name(place) + " holds a NUL or half a character (position " + firstBad(text)
                            + "); no process can be given that",
                    value,
                    "text without NUL characters");
            return Optional.empty();
        }
        return Optional.of(text);
    }

    private Optional<Integer> integer(JsonNode value, String place, int min, int max) {
        String allowed = "a whole number from " + min + " to " + max;
        if (!value.isIntegralNumber()) {
            findings.add(place, name(place) + " must be a whole number, not " + kindOf(value), value, allowed);
            return Optional.empty();
        }
        BigInteger number = value.bigIntegerValue();
        if (number.compareTo(BigInteger.valueOf(min)) < 0 || number.compareTo(BigInteger.valueOf(max)) > 0) {
            findings.add(
                    place,
                    name(place) + " is " + Findings.shortened(number.toString(), 40) + "; " + min + " to " + max
                            + " are allowed",
                    value,
                    allowed);
            return Optional.empty();
        }
        return Optional.of(number.intValueExact());
    }

    private static void noteStrangers(JsonNode object, String pointer, Findings findings) {
        String path = pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.');
        List<String> known = SpecCatalogue.namesIn(path);
        for (Map.Entry<String, JsonNode> property : object.properties()) {
            String place = Findings.step(pointer, property.getKey());
            if (!known.contains(property.getKey())) {
                findings.add(
                        place,
                        "unknown field '" + Findings.shortened(property.getKey(), 80) + "'"
                                + NearestName.of(property.getKey(), known)
                                        .map(name -> "; did you mean '" + name + "'?")
                                        .orElse(""),
                        property.getValue(),
                        String.join(", ", known));
            } else if (comesLater(path, property.getKey())
                    && !property.getValue().isNull()) {
                findings.add(place, notYetMessage(place), property.getValue(), "leave it out");
            }
        }
    }

    private static boolean comesLater(String path, String field) {
        String full = path.isEmpty() ? field : path + "." + field;
        return SpecCatalogue.fields().get(full) == SpecCatalogue.Support.NOT_YET;
    }

    private static String notYetMessage(String place) {
        return name(place) + " is not supported yet";
    }

    private static <T> Optional<T> made(String text, Function<String, T> constructor) {
        try {
            return Optional.of(constructor.apply(text));
        } catch (IllegalArgumentException refused) {
            return Optional.empty();
        }
    }

    private static boolean wellFormed(String text) {
        return firstBad(text) < 0;
    }

    private static int firstBad(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (c == '\0' || Character.isSurrogate(c) && !pair) {
                return i;
            }
            i += pair ? 1 : 0;
        }
        return -1;
    }

    private static String name(String place) {
        return place.isEmpty() ? "the job spec" : place.substring(1).replace('/', '.');
    }

    private static String kindOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "a list";
            case BOOLEAN -> "true or false";
            case NUMBER -> value.isIntegralNumber() ? "a number" : "a fraction";
            case OBJECT, POJO -> "an object";
            case STRING, BINARY -> "a text";
            case NULL, MISSING -> "nothing";
        };
    }
}

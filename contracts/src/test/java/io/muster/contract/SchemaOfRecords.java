package io.muster.contract;

import com.fasterxml.jackson.annotation.JsonValue;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON Schema (2020-12) of a record, read from its components: a component that is not {@code @Nullable} is
 * required, ids are strings, enums are lists of names. Unknown fields are allowed, since consumers ignore them.
 */
final class SchemaOfRecords {

    private final JsonMapper mapper;
    private final Map<String, ObjectNode> definitions = new TreeMap<>();

    SchemaOfRecords(JsonMapper mapper) {
        this.mapper = mapper;
    }

    ObjectNode schemaOf(Class<?> root) {
        ObjectNode schema = mapper.createObjectNode();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", root.getSimpleName());
        ObjectNode object = objectOf(root);
        object.properties().forEach(entry -> schema.set(entry.getKey(), entry.getValue()));
        if (!definitions.isEmpty()) {
            ObjectNode defs = schema.putObject("$defs");
            definitions.forEach(defs::set);
        }
        return schema;
    }

    private ObjectNode objectOf(Class<?> type) {
        ObjectNode object = mapper.createObjectNode();
        object.put("type", "object");
        ObjectNode properties = object.putObject("properties");
        ArrayNode required = object.putArray("required");
        for (RecordComponent component : type.getRecordComponents()) {
            boolean nullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            properties.set(component.getName(), typed(component.getGenericType(), nullable));
            if (!nullable) {
                required.add(component.getName());
            }
        }
        return object;
    }

    private ObjectNode typed(Type type, boolean nullable) {
        ObjectNode plain = plain(type);
        if (!nullable) {
            return plain;
        }
        ObjectNode either = mapper.createObjectNode();
        ArrayNode anyOf = either.putArray("anyOf");
        anyOf.add(plain);
        anyOf.addObject().put("type", "null");
        return either;
    }

    private ObjectNode plain(Type type) {
        ObjectNode node = mapper.createObjectNode();
        if (type instanceof ParameterizedType parameterized) {
            return switch (parameterized.getRawType().getTypeName()) {
                case "java.util.List" -> {
                    node.put("type", "array");
                    node.set("items", plain(parameterized.getActualTypeArguments()[0]));
                    yield node;
                }
                case "java.util.Map" -> {
                    node.put("type", "object");
                    node.set("additionalProperties", plain(parameterized.getActualTypeArguments()[1]));
                    yield node;
                }
                default -> throw new IllegalStateException("no schema for " + type);
            };
        }
        Class<?> simple = (Class<?>) type;
        if (simple == Object.class) {
            return node;
        }
        if (simple == String.class || isId(simple)) {
            return node.put("type", "string");
        }
        if (simple == Instant.class) {
            return node.put("type", "string").put("format", "date-time");
        }
        if (simple == boolean.class) {
            return node.put("type", "boolean");
        }
        if (List.of(int.class, long.class, Integer.class, Long.class).contains(simple)) {
            return node.put("type", "integer");
        }
        if (simple == Double.class || simple == double.class) {
            return node.put("type", "number");
        }
        if (simple.isEnum()) {
            ArrayNode names = node.put("type", "string").putArray("enum");
            Arrays.stream(simple.getEnumConstants()).forEach(constant -> names.add(constant.toString()));
            return node;
        }
        if (!definitions.containsKey(simple.getSimpleName())) {
            definitions.put(simple.getSimpleName(), mapper.createObjectNode());
            definitions.put(simple.getSimpleName(), objectOf(simple));
        }
        return node.put("$ref", "#/$defs/" + simple.getSimpleName());
    }

    private static boolean isId(Class<?> type) {
        return type.isRecord()
                && type.getRecordComponents().length == 1
                && type.getRecordComponents()[0].getAccessor().isAnnotationPresent(JsonValue.class);
    }
}

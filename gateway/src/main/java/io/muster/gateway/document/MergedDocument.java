package io.muster.gateway.document;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes one OpenAPI document out of several: only operations that people reach, only schemas those use. Two services may
 * use one name for different schemas; then the later one's is renamed to {@code <service>.<name>} in its operations. The
 * same documents always give the same text.
 */
final class MergedDocument {

    private static final String SCHEMAS = "#/components/schemas/";
    private static final Set<String> METHODS =
            Set.of("get", "put", "post", "delete", "options", "head", "patch", "trace");
    private static final String MISSING = "x-muster-missing-services";

    private final Map<String, ObjectNode> paths = new TreeMap<>();
    private final Map<String, JsonNode> schemas = new TreeMap<>();
    private final Set<String> operationIds = new HashSet<>();

    private MergedDocument() {}

    static ObjectNode of(List<ServiceDocument> documents, Collection<String> missing) {
        MergedDocument merged = new MergedDocument();
        documents.forEach(merged::add);
        return merged.document(missing);
    }

    private void add(ServiceDocument source) {
        Map<String, JsonNode> own = new TreeMap<>();
        source.document()
                .path("components")
                .path("schemas")
                .properties()
                .forEach(entry -> own.put(entry.getKey(), entry.getValue()));
        Map<String, String> renamed = new TreeMap<>();
        own.forEach((name, schema) -> {
            JsonNode other = schemas.get(name);
            if (other != null && !other.equals(schema)) {
                renamed.put(name, source.owner() + "." + name);
            }
        });
        own.forEach((name, schema) -> schemas.put(renamed.getOrDefault(name, name), retargeted(schema, renamed)));
        source.document()
                .path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    if (METHODS.contains(operation.getKey())
                            && source.isPublic().test(operation.getKey(), path.getKey())) {
                        addOperation(
                                source.owner(),
                                path.getKey(),
                                operation.getKey(),
                                retargeted(operation.getValue(), renamed));
                    }
                }));
    }

    private void addOperation(String owner, String path, String method, JsonNode described) {
        ObjectNode operation = (ObjectNode) described;
        String id = operation.path("operationId").asString(method);
        if (!operationIds.add(id)) {
            id = owner + "_" + id;
            operationIds.add(id);
        }
        operation.put("operationId", id);
        operation.putArray("tags").add(owner);
        operation.remove("servers");
        paths.computeIfAbsent(path, name -> JsonNodeFactory.instance.objectNode())
                .set(method, operation);
    }

    /** A copy whose references follow the renaming. */
    private static JsonNode retargeted(JsonNode node, Map<String, String> renamed) {
        if (node.isArray()) {
            ArrayNode copy = JsonNodeFactory.instance.arrayNode();
            node.forEach(item -> copy.add(retargeted(item, renamed)));
            return copy;
        }
        if (!node.isObject()) {
            return node;
        }
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        node.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            if (entry.getKey().equals("$ref") && value.asString("").startsWith(SCHEMAS)) {
                String name = value.asString().substring(SCHEMAS.length());
                copy.put("$ref", SCHEMAS + renamed.getOrDefault(name, name));
            } else {
                copy.set(entry.getKey(), retargeted(value, renamed));
            }
        });
        return copy;
    }

    private ObjectNode document(Collection<String> missing) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("openapi", "3.1.0");
        ObjectNode info = document.putObject("info");
        info.put("title", "Muster");
        info.put("version", "v1");
        info.put(
                "description",
                "Every public path of Muster. Refusals are application/problem+json (RFC 9457) with every violation at once;"
                        + " /problems/{code} says what each code means.");
        document.putArray("servers").addObject().put("url", "/");
        document.putArray("security").addObject().putArray("apiKey");
        ObjectNode pathsNode = document.putObject("paths");
        paths.forEach(pathsNode::set);
        ObjectNode components = document.putObject("components");
        ObjectNode schemasNode = components.putObject("schemas");
        used().stream().filter(schemas::containsKey).forEach(name -> schemasNode.set(name, schemas.get(name)));
        ObjectNode scheme = components.putObject("securitySchemes").putObject("apiKey");
        scheme.put("type", "http");
        scheme.put("scheme", "bearer");
        scheme.put("description", "An API key, mk_…");
        ArrayNode away = document.putArray(MISSING);
        missing.stream().sorted().forEach(away::add);
        return document;
    }

    private List<String> used() {
        Set<String> seen = new HashSet<>();
        Deque<JsonNode> open = new ArrayDeque<>(paths.values());
        while (!open.isEmpty()) {
            JsonNode node = open.pop();
            node.findValues("$ref").stream()
                    .map(reference -> reference.asString(""))
                    .filter(reference -> reference.startsWith(SCHEMAS))
                    .map(reference -> reference.substring(SCHEMAS.length()))
                    .filter(seen::add)
                    .forEach(name -> open.push(schemas.getOrDefault(name, JsonNodeFactory.instance.objectNode())));
        }
        return seen.stream().sorted().toList();
    }
}

package io.muster.job.submission;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Job specs that someone careless or malicious could send: a valid one with one to four wounds, sometimes broken as text. */
final class HostileSpecs {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "\u0000",
            "a\u0000b",
            "\ud800",
            "\udc00x",
            "'; drop table job; --",
            "../../etc/passwd",
            "/",
            "//",
            "%s%n%d",
            "${jndi:ldap://x}",
            "<script>",
            "\u202e",
            "é中😀",
            "null",
            "-1",
            "1e999",
            "store://",
            "store://../x",
            "PT-5S",
            "P99999999999999999D",
            "99999999999999999999 steps",
            "chk_",
            "a/b/c/d",
            "nlp.pretrain",
            "\r\n\r\nX: y",
            "x".repeat(5000));
    private static final List<String> NUMBERS = List.of(
            "0",
            "-1",
            "1",
            "2147483647",
            "2147483648",
            "-2147483649",
            "9223372036854775808",
            "1.5",
            "-0.0",
            "1e3",
            "1e308",
            "123456789012345678901234567890",
            "0.1");
    private static final List<String> NAMES = List.of(
            "name",
            "nmae",
            "Name",
            "",
            " ",
            "a.b",
            "a/b",
            "~",
            "\u0000",
            "\ud800",
            "__proto__",
            "taskGroups",
            "subgroups",
            "profile",
            "preemptible",
            "runtime",
            "x".repeat(300),
            "command",
            "nodes",
            "spareNodes",
            "$ref",
            "@type",
            "MUSTER_X",
            "RANK");

    private final Random random;
    private final ObjectNode valid;

    HostileSpecs(long seed, String validSpec) {
        this.random = new Random(seed);
        this.valid = (ObjectNode) JSON.readTree(validSpec);
    }

    String next(int number) {
        ObjectNode spec = valid.deepCopy();
        spec.put("name", "hostile-" + number);
        int wounds = random.nextInt(5);
        for (int i = 0; i < wounds; i++) {
            wound(spec);
        }
        String text = random.nextInt(40) == 0 ? value(0).toString() : spec.toString();
        return random.nextInt(10) == 0 ? broken(text) : text;
    }

    private void wound(ObjectNode spec) {
        List<ObjectNode> objects = new ArrayList<>();
        collect(spec, objects);
        ObjectNode target = objects.get(random.nextInt(objects.size()));
        List<String> fields = new ArrayList<>(target.propertyNames());
        switch (random.nextInt(fields.isEmpty() ? 1 : 5)) {
            case 0 -> target.set(pick(NAMES), value(0));
            case 1 -> target.remove(pick(fields));
            case 2 -> target.set(pick(fields), NODES.nullNode());
            default -> target.set(pick(fields), value(0));
        }
    }

    private void collect(JsonNode node, List<ObjectNode> objects) {
        if (node instanceof ObjectNode object) {
            objects.add(object);
        }
        node.forEach(child -> collect(child, objects));
    }

    private JsonNode value(int depth) {
        return switch (random.nextInt(depth > 4 ? 4 : 9)) {
            case 0 -> NODES.nullNode();
            case 1 -> NODES.booleanNode(random.nextBoolean());
            case 2 -> JSON.readTree(pick(NUMBERS));
            case 3, 4, 5 -> NODES.stringNode(pick(TEXTS));
            case 6 -> array(depth);
            case 7 -> object(depth);
            default -> deep();
        };
    }

    private JsonNode array(int depth) {
        ArrayNode array = NODES.arrayNode();
        int size = random.nextInt(20) == 0 ? 1500 : random.nextInt(4);
        for (int i = 0; i < size; i++) {
            array.add(size > 100 ? NODES.stringNode("e" + i) : value(depth + 1));
        }
        return array;
    }

    private JsonNode object(int depth) {
        ObjectNode object = NODES.objectNode();
        int size = random.nextInt(20) == 0 ? 300 : random.nextInt(4);
        for (int i = 0; i < size; i++) {
            object.set(size > 100 ? "k" + i : pick(NAMES), size > 100 ? NODES.stringNode("v") : value(depth + 1));
        }
        return object;
    }

    private JsonNode deep() {
        JsonNode inner = NODES.numberNode(1);
        int depth = random.nextInt(400);
        for (int i = 0; i < depth; i++) {
            ArrayNode outer = NODES.arrayNode();
            outer.add(inner);
            inner = outer;
        }
        return inner;
    }

    /** Cut, doubled or changed at a place. */
    private String broken(String text) {
        int at = random.nextInt(Math.max(1, text.length()));
        return switch (random.nextInt(6)) {
            case 0 -> text.substring(0, at);
            case 1 -> text + text;
            case 2 ->
                text.substring(0, at)
                        + (char) (32 + random.nextInt(95))
                        + text.substring(Math.min(text.length(), at + 1));
            case 3 -> "[".repeat(3000) + text;
            case 4 -> text.replaceFirst("\"name\"", "\"name\": \"twice\", \"name\"");
            default -> text + " ".repeat(random.nextInt(70_000));
        };
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}

package io.muster.gateway.document;

import java.util.function.BiPredicate;
import tools.jackson.databind.JsonNode;

/**
 * One service's own API document.
 *
 * @param owner its name, which its operations are tagged with
 * @param isPublic which of its operations, by method and path, people reach through the gateway
 */
record ServiceDocument(String owner, JsonNode document, BiPredicate<String, String> isPublic) {}

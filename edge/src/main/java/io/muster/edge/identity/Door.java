package io.muster.edge.identity;

import org.jspecify.annotations.Nullable;

/**
 * Whom a path is for. Decided from the decoded path alone (the firewall has refused anything that reads differently
 * decoded); a path that is on none of the lists is a wall for everybody.
 */
sealed interface Door {

    String API = "/api/v1";
    String AGENTS = "/internal/agents/";
    String SERVICES = "/internal/services/";

    /** Anyone may pass. */
    record Open() implements Door {}

    /** Any user token. */
    record Users() implements Door {}

    /** The token of this node only. */
    record Node(String node) implements Door {}

    /** A service token made for this service. */
    record Services() implements Door {}

    /** Nobody: answered 404. */
    record Wall() implements Door {}

    static Door of(String method, String path) {
        if (path.equals(API) || path.startsWith(API + "/")) {
            return new Users();
        }
        if (path.startsWith(AGENTS)) {
            int end = path.indexOf('/', AGENTS.length());
            String node = end < 0 ? path.substring(AGENTS.length()) : path.substring(AGENTS.length(), end);
            return node.isEmpty() ? new Wall() : new Node(node);
        }
        if (path.startsWith(SERVICES)) {
            return new Services();
        }
        return isOpen(method, path) ? new Open() : new Wall();
    }

    private static boolean isOpen(String method, String path) {
        return switch (method) {
            case "POST" -> path.equals("/internal/join");
            case "GET", "HEAD" ->
                path.equals("/actuator/health")
                        || path.startsWith("/actuator/health/")
                        || path.equals("/actuator/prometheus")
                        || path.equals("/actuator/info")
                        || path.equals("/v3/api-docs");
            default -> false;
        };
    }

    /** Null when the caller may pass, else why not. */
    default @Nullable String refusal(Caller caller) {
        return switch (this) {
            case Open() -> null;
            case Wall() -> "there is nothing here";
            case Users() ->
                caller instanceof UserCaller ? null : "this path is for people with an API key; " + you(caller);
            case Services() ->
                caller instanceof ServiceCaller ? null : "this path is for the other services; " + you(caller);
            case Node(String node) ->
                caller instanceof NodeCaller(var other) && other.value().equals(node)
                        ? null
                        : "this path is for the agent of node " + node + "; " + you(caller);
        };
    }

    private static String you(Caller caller) {
        return switch (caller) {
            case UserCaller user -> "the token is of API key " + user.keyId() + ".";
            case NodeCaller node -> "the token is of node " + node.node() + ".";
            case ServiceCaller service -> "the token is of service " + service.service() + ".";
        };
    }
}

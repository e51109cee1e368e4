package io.muster.gateway.door;

/** What a path needs before anything else is asked. Decided from the decoded path; the firewall has refused tricks. */
enum PublicPath {
    /** Anyone may read: how to use Muster. */
    OPEN,
    /** An API key is needed. */
    KEYED,
    /** Nothing is here. Internal paths of the services and the gateway's own management are not on this port. */
    WALL;

    static PublicPath of(String method, String path) {
        boolean reads = method.equals("GET") || method.equals("HEAD");
        if (reads && (path.equals("/api/v1/openapi.json") || path.startsWith("/problems/"))) {
            return OPEN;
        }
        return path.startsWith("/api/v1/") ? KEYED : WALL;
    }
}

package io.muster.gateway.routing;

import java.util.List;

/** What the route table says about a request. */
sealed interface Match {

    /** @param path to ask the service for */
    record Routed(Route route, String path) implements Match {}

    /** The path is in the table, with other methods. */
    record OtherMethod(List<String> allowed) implements Match {}

    /** Not in the table: the gateway's own, or nothing. */
    record Elsewhere() implements Match {}
}

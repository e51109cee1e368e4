package io.muster.gateway.routing;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.springframework.http.HttpMethod;

/**
 * Every path that leads through the gateway: the table "Public paths by service" of docs/internal-api.md. What is not in
 * it is not routed. A fixed segment wins over a name ({@code /nodes/join-tokens} over {@code /nodes/{id}}), because it
 * stands earlier.
 */
public final class RouteTable {

    private static final List<Route> ROUTES = List.of(
            post("/api/v1/jobs", Target.JOB, Lane.SUBMIT),
            streamed("/api/v1/jobs", Target.JOB),
            streamed("/api/v1/jobs/{id}", Target.JOB),
            get("/api/v1/jobs/{id}/timeline", Target.JOB, Lane.READ),
            get("/api/v1/jobs/{id}/attempts", Target.JOB, Lane.READ),
            get("/api/v1/jobs/{id}/logs", Target.JOB, Lane.LOGS),
            get("/api/v1/jobs/{id}/explanation", Target.JOB, Lane.READ),
            get("/api/v1/jobs/{id}/waste", Target.JOB, Lane.READ),
            post("/api/v1/jobs/{id}/cancel", Target.JOB, Lane.SUBMIT),
            get("/api/v1/quota/tree", Target.QUOTA, Lane.READ),
            put("/api/v1/quota/tree", Target.QUOTA, Lane.SUBMIT),
            get("/api/v1/quota/nodes/{path}", Target.QUOTA, Lane.READ),
            get("/api/v1/quota/audit", Target.QUOTA, Lane.READ),
            get("/api/v1/usage", Target.QUOTA, Lane.READ),
            get("/api/v1/jobs/{id}/cost", Target.QUOTA, Lane.READ),
            get("/api/v1/cluster/capacity", Target.SCHEDULER, Lane.READ),
            get("/api/v1/cluster/largest-gang", Target.SCHEDULER, Lane.READ),
            get("/api/v1/queues/{path}/pending", Target.SCHEDULER, Lane.READ),
            post("/api/v1/nodes/join-tokens", Target.HEALTH, Lane.SUBMIT),
            get("/api/v1/nodes", Target.HEALTH, Lane.READ),
            get("/api/v1/nodes/{id}", Target.HEALTH, Lane.READ),
            post("/api/v1/nodes/{id}/cordon", Target.HEALTH, Lane.SUBMIT),
            post("/api/v1/nodes/{id}/uncordon", Target.HEALTH, Lane.SUBMIT),
            put("/api/v1/nodes/{id}/spare", Target.HEALTH, Lane.SUBMIT),
            delete("/api/v1/nodes/{id}/spare", Target.HEALTH, Lane.SUBMIT),
            streamed("/api/v1/faults", Target.HEALTH),
            get("/api/v1/faults/phases", Target.HEALTH, Lane.READ),
            get("/api/v1/faults/{id}", Target.HEALTH, Lane.READ),
            get("/api/v1/jobs/{id}/checkpoints", Target.CHECKPOINT, Lane.READ),
            get("/api/v1/checkpoints/{id}", Target.CHECKPOINT, Lane.READ));

    private RouteTable() {}

    static List<Route> routes() {
        return ROUTES;
    }

    static Match match(HttpMethod method, String path) {
        TreeSet<String> allowed = new TreeSet<>();
        for (Route route : ROUTES) {
            Optional<String> rebuilt = route.rebuild(path);
            if (rebuilt.isPresent() && route.method().equals(method)) {
                return new Match.Routed(route, rebuilt.get());
            }
            if (rebuilt.isPresent()) {
                allowed.add(route.method().name());
            }
        }
        return allowed.isEmpty() ? new Match.Elsewhere() : new Match.OtherMethod(List.copyOf(allowed));
    }

    /** Is this operation of a service's API document one that the gateway routes to that service? */
    public static boolean routes(Target target, String method, String template) {
        String form = withoutNames(template);
        return ROUTES.stream()
                .anyMatch(route -> route.target() == target
                        && route.method().name().equalsIgnoreCase(method)
                        && withoutNames(route.template()).equals(form));
    }

    private static String withoutNames(String template) {
        return template.replaceAll("\\{[^/]*\\}", "{}");
    }

    private static Route get(String template, Target target, Lane lane) {
        return new Route(HttpMethod.GET, template, target, lane, false);
    }

    private static Route streamed(String template, Target target) {
        return new Route(HttpMethod.GET, template, target, Lane.READ, true);
    }

    private static Route post(String template, Target target, Lane lane) {
        return new Route(HttpMethod.POST, template, target, lane, false);
    }

    private static Route delete(String template, Target target, Lane lane) {
        return new Route(HttpMethod.DELETE, template, target, lane, false);
    }

    private static Route put(String template, Target target, Lane lane) {
        return new Route(HttpMethod.PUT, template, target, lane, false);
    }
}

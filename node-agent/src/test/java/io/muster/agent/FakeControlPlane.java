package io.muster.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.muster.agent.http.Json;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.SavePlan;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.Registration;
import io.muster.contract.problem.Problem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** health-, job- and checkpoint-service for one node, in one HTTP server, by the contracts. */
final class FakeControlPlane implements AutoCloseable {

    static final String JOIN_TOKEN = "join-once";

    final JsonMapper json = Json.mapper();
    final List<NodeReport> reports = new CopyOnWriteArrayList<>();
    final List<Heartbeat> heartbeats = new CopyOnWriteArrayList<>();
    final List<PreflightReport> preflights = new CopyOnWriteArrayList<>();
    final List<ReportShards> shards = new CopyOnWriteArrayList<>();
    final List<String> tokensSeen = new CopyOnWriteArrayList<>();
    final List<ProbeOrder> probesToOrder = new CopyOnWriteArrayList<>();
    final List<NodeFacts> registrations = new CopyOnWriteArrayList<>();
    /** Steps of which this was answered. */
    final List<Long> durable = new CopyOnWriteArrayList<>();

    private final Map<Long, CheckpointId> reserved = new ConcurrentHashMap<>();
    private final AtomicLong session = new AtomicLong();
    private final int port;
    private HttpServer server;
    volatile DesiredState desired = new DesiredState("local", "inc-1", 1, List.of());
    volatile boolean joinTokenUsed;
    volatile boolean registerAgainOnce;
    volatile boolean runChecksOnce;
    volatile boolean renewOnce;
    volatile boolean refuseTokens;
    volatile boolean fenced;
    volatile boolean checkpointAway;
    volatile boolean staleIncarnation;
    /** This session and those before it count for nothing any more. */
    volatile long endedSession;

    volatile int retryableRefusals;
    volatile CheckpointPhase phaseAfterReport = CheckpointPhase.COMMITTED;

    FakeControlPlane() throws IOException {
        server = open(0);
        port = server.getAddress().getPort();
    }

    private HttpServer open(int at) throws IOException {
        HttpServer opened = HttpServer.create(new InetSocketAddress("127.0.0.1", at), 64);
        opened.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        opened.createContext("/", this::handle);
        opened.start();
        return opened;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    void away() {
        server.stop(0);
    }

    void back() throws IOException {
        server = open(port);
    }

    synchronized void desire(Assignment... assignments) {
        desired = new DesiredState(
                desired.clusterId(), desired.incarnation(), desired.revision() + 1, List.of(assignments));
        notifyAll();
    }

    synchronized void desireExactly(DesiredState state) {
        desired = state;
        notifyAll();
    }

    Optional<AttemptReport> latest(JobId job, int attempt) {
        for (int index = reports.size() - 1; index >= 0; index--) {
            for (AttemptReport report : reports.get(index).attempts()) {
                if (report.jobId().equals(job) && report.attempt() == attempt) {
                    return Optional.of(report);
                }
            }
        }
        return Optional.empty();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = exchange.getRequestBody().readAllBytes();
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            if (!path.equals("/internal/join")) {
                tokensSeen.add(String.valueOf(authorization));
                if (refuseTokens || authorization == null) {
                    answer(exchange, 401, Problem.of(401, "UNAUTHENTICATED", "no", "token is not valid", null));
                    return;
                }
            }
            route(exchange, path, body);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void route(HttpExchange exchange, String path, byte[] body) throws IOException, InterruptedException {
        if (path.equals("/internal/join")) {
            join(exchange, json.readValue(body, JoinRequest.class));
        } else if (path.endsWith("/register")) {
            NodeFacts facts = json.readValue(body, NodeFacts.class);
            registrations.add(facts);
            answer(exchange, 200, registration(facts.node(), "token-" + (session.get() + 1), true));
        } else if (path.endsWith("/heartbeat")) {
            heartbeat(exchange, json.readValue(body, Heartbeat.class));
        } else if (path.endsWith("/preflight")) {
            preflights.add(json.readValue(body, PreflightReport.class));
            exchange.sendResponseHeaders(204, -1);
        } else if (path.endsWith("/desired")) {
            answer(exchange, 200, awaitDesired(exchange.getRequestURI().getQuery()));
        } else if (path.endsWith("/report")) {
            NodeReport report = json.readValue(body, NodeReport.class);
            if (report.session() > endedSession) {
                reports.add(report);
            }
            answer(exchange, 200, new ReportAnswer(desired.revision(), staleIncarnation));
        } else if (checkpointAway) {
            answer(exchange, 503, Problem.of(503, "UNAVAILABLE", "no", "away", null));
        } else if (path.endsWith("/checkpoints")) {
            ReserveCheckpoint request = json.readValue(body, ReserveCheckpoint.class);
            if (fenced) {
                answer(exchange, 409, Problem.of(409, "FENCED", "no", "attempt 2 has begun", null));
                return;
            }
            if (retryableRefusals > 0) {
                retryableRefusals--;
                Problem refusal = Problem.of(409, "NOT_PLACED_HERE", "no", "no placement heard of yet", null);
                answer(
                        exchange,
                        409,
                        new Problem(refusal.type(), "no", 409, refusal.code(), "no", List.of(), null, true, null));
                return;
            }
            CheckpointId id =
                    reserved.computeIfAbsent(request.step(), step -> new CheckpointId("chk_%010d".formatted(step)));
            answer(exchange, 200, new ReserveAnswer(id, null, false));
        } else if (path.endsWith("/shards")) {
            ReportShards request = json.readValue(body, ReportShards.class);
            shards.add(request);
            List<String> parts = List.of(path.split("/", -1));
            answer(exchange, 200, judged(new CheckpointId(parts.get(parts.size() - 2)), request));
        } else if (path.endsWith("/save-plan")) {
            answer(exchange, 200, new SavePlan(77));
        } else {
            answer(exchange, 404, Problem.of(404, "NOT_FOUND", "no", path, null));
        }
    }

    /** As if this node's ranks were all there are: committed when each has two holders or a place in the store. */
    private ShardsAnswer judged(CheckpointId checkpoint, ReportShards report) {
        boolean durable = report.shards().stream().allMatch(shard -> shard.path() != null);
        boolean twice =
                report.shards().stream().allMatch(shard -> shard.holders().size() > 1);
        if (phaseAfterReport != CheckpointPhase.COMMITTED || (!durable && !twice)) {
            CheckpointPhase phase =
                    phaseAfterReport == CheckpointPhase.COMMITTED ? CheckpointPhase.LOCAL : phaseAfterReport;
            return new ShardsAnswer(checkpoint, phase, 1, 1, null);
        }
        if (durable) {
            this.durable.add(report.step());
        }
        return new ShardsAnswer(
                checkpoint, CheckpointPhase.COMMITTED, 1, 1, durable ? Durability.DURABLE : Durability.PEER);
    }

    private void join(HttpExchange exchange, JoinRequest request) throws IOException {
        if (joinTokenUsed || !request.joinToken().equals(JOIN_TOKEN)) {
            answer(exchange, 401, Problem.of(401, "JOIN_TOKEN_INVALID", "no", "used or unknown", null));
            return;
        }
        joinTokenUsed = true;
        answer(exchange, 200, registration(request.facts().node(), "token-1", true));
    }

    private Registration registration(NodeId node, String token, boolean fresh) {
        long now = fresh ? session.incrementAndGet() : session.get();
        return new Registration(node, now, token, Instant.now().plus(Duration.ofHours(24)), 100, 3000);
    }

    private void heartbeat(HttpExchange exchange, Heartbeat heartbeat) throws IOException {
        heartbeats.add(heartbeat);
        boolean again = registerAgainOnce || heartbeat.session() <= endedSession;
        registerAgainOnce = false;
        boolean checks = runChecksOnce;
        runChecksOnce = false;
        Registration renewed = renewOnce
                ? new Registration(
                        new NodeId("r1-n1"),
                        session.get(),
                        "token-renewed",
                        Instant.now().plusSeconds(1000),
                        100,
                        3000)
                : null;
        renewOnce = false;
        List<ProbeOrder> orders = new ArrayList<>(probesToOrder);
        probesToOrder.clear();
        answer(exchange, 200, new HeartbeatAnswer(again, checks, orders, Instant.now(), renewed));
    }

    private synchronized DesiredState awaitDesired(@Nullable String query) throws InterruptedException {
        long revision = 0;
        long wait = 0;
        for (String part : List.of(String.valueOf(query).split("&", -1))) {
            if (part.startsWith("revision=")) {
                revision = Long.parseLong(part.substring(9));
            } else if (part.startsWith("waitSeconds=")) {
                wait = Long.parseLong(part.substring(12));
            }
        }
        long end = System.nanoTime() + wait * 1_000_000_000L;
        while (desired.revision() <= revision && System.nanoTime() < end) {
            wait(100);
        }
        return desired;
    }

    private void answer(HttpExchange exchange, int status, Object body) throws IOException {
        byte[] content = json.writeValueAsBytes(body);
        exchange.getResponseHeaders()
                .set("Content-Type", status >= 400 ? "application/problem+json" : "application/json");
        exchange.sendResponseHeaders(status, content.length);
        exchange.getResponseBody().write(content);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

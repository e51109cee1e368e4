package io.muster.health;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.ProbeResult;
import io.muster.contract.node.Registration;
import io.muster.edge.identity.Role;
import io.muster.health.RunningService.Answer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** An agent as health-service sees it, one step at a time or beating by itself. */
public final class TestAgent implements AutoCloseable {

    private final String name;
    private final NodeFacts facts;
    private volatile RunningService service;
    private volatile @Nullable Registration registration;
    private long sequence;
    private final AtomicBoolean beating = new AtomicBoolean();
    private @Nullable Thread thread;

    public TestAgent(RunningService service, String name) {
        this(service, name, "r1");
    }

    public TestAgent(RunningService service, String name, String rack) {
        this.service = service;
        this.name = name;
        this.facts = TestNodes.inRack(name, rack, 8);
    }

    public NodeId node() {
        return new NodeId(name);
    }

    public NodeFacts facts() {
        return facts;
    }

    /** As people see it. */
    public JsonNode view() {
        return service.asUser(Role.VIEWER, "GET", "/api/v1/nodes/" + name, null).body();
    }

    public String condition() {
        return view().get("condition").asString();
    }

    public List<String> causes() {
        List<String> causes = new ArrayList<>();
        view().get("holds").forEach(hold -> causes.add(hold.get("cause").asString()));
        return causes;
    }

    /** As job-service sees it. */
    public Fitness fitness() {
        return service.fitness(node());
    }

    public void goesTo(RunningService other) {
        service = other;
    }

    public Registration registration() {
        return Objects.requireNonNull(registration, "not registered");
    }

    public static String joinToken(RunningService service, String node) {
        Answer made = service.asUser(Role.ADMIN, "POST", "/api/v1/nodes/join-tokens", Map.of("node", node));
        if (made.status() != 201) {
            throw new AssertionError(made);
        }
        return made.body().get("token").asString();
    }

    public TestAgent joins() {
        return joins(joinToken(service, name));
    }

    public TestAgent joins(String token) {
        accept(service.call("POST", "/internal/join", null, new JoinRequest(token, facts)));
        return this;
    }

    public void registers() {
        accept(call("register", facts));
    }

    private void accept(Answer answer) {
        if (answer.status() != 200) {
            throw new AssertionError(answer);
        }
        registration = RunningService.JSON.treeToValue(answer.body(), Registration.class);
        sequence = 0;
    }

    public Answer call(String what, Object body) {
        return service.call(
                "POST", "/internal/agents/" + name + "/" + what, registration().nodeToken(), body);
    }

    public synchronized HeartbeatAnswer beats(List<CheckResult> checks, List<ProbeResult> probes) {
        return beats(registration().session(), checks, probes);
    }

    public synchronized HeartbeatAnswer beats(long session, List<CheckResult> checks, List<ProbeResult> probes) {
        Answer answer = call(
                "heartbeat",
                new Heartbeat(session, ++sequence, Clock.systemUTC().instant(), null, checks, probes));
        if (answer.status() != 200) {
            throw new AssertionError(answer);
        }
        return RunningService.JSON.treeToValue(answer.body(), HeartbeatAnswer.class);
    }

    public HeartbeatAnswer beats() {
        return beats(List.of(), List.of());
    }

    /** Joins, passes its checks and beats by itself from now on; probes are answered by {@code reaches}. */
    public TestAgent lives(Function<NodeId, Boolean> reaches) {
        if (registration == null) {
            joins();
        }
        beats(TestNodes.allPass(Clock.systemUTC().instant()), List.of());
        return beatsOn(reaches);
    }

    public TestAgent beatsOn(Function<NodeId, Boolean> reaches) {
        beating.set(true);
        thread = Thread.ofPlatform().daemon().start(() -> {
            List<ProbeResult> found = List.of();
            List<CheckResult> checks = List.of();
            while (beating.get()) {
                try {
                    HeartbeatAnswer answer = beats(checks, found);
                    if (answer.registerAgain()) {
                        registers();
                    }
                    checks = answer.runChecks()
                            ? TestNodes.allPass(Clock.systemUTC().instant())
                            : List.of();
                    found = answer.probes().stream()
                            .map(order -> new ProbeResult(
                                    order.probeId(), node(), order.target(), reaches.apply(order.target()), 1, "tried"))
                            .toList();
                } catch (AssertionError | RuntimeException e) {
                    // an agent whose judge is away tries again
                    checks = List.of();
                }
                LockSupport.parkNanos(100_000_000);
            }
        });
        return this;
    }

    public void falls() {
        beating.set(false);
        Thread running = thread;
        if (running != null) {
            try {
                running.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        falls();
    }
}

package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeDomains;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.identity.Role;
import io.muster.job.Api;
import io.muster.job.TestDoor;
import io.muster.messaging.EventMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A job on its way through the service, in the words of the domain. */
final class JobScenario {

    static final TenantId TENANT = new TenantId("acme");
    static final ProjectId PROJECT = new ProjectId("llm");
    static final QueuePath QUEUE = new QueuePath("default");

    private final int port;
    private final PlacementListener placements;
    private final NodeListener nodes;
    final Api user;
    final List<SimulatedAgent> agents = new ArrayList<>();
    JobId job;
    private int generation;

    JobScenario(int port, PlacementListener placements, NodeListener nodes) {
        this.port = port;
        this.placements = placements;
        this.nodes = nodes;
        this.user = new Api(port, TestDoor.user(TENANT.value(), Role.ENGINEER));
    }

    JobScenario submitted(String name, int nodeCount, String more) {
        Api.Reply reply = user.post("/api/v1/jobs", """
                {"name": "%s", "project": "llm", "runtime": {"command": ["x"], "client": true},
                 "resources": {"nodes": %d, "processesPerNode": 2}%s}""".formatted(name, nodeCount, more));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        job = new JobId(reply.json().get("id").stringValue());
        for (int rank = 0; rank < nodeCount; rank++) {
            NodeId node = new NodeId(name + "-n" + rank);
            agents.add(new SimulatedAgent(port, node));
            nodeSays(node, 1, List.of());
        }
        return this;
    }

    JobScenario placed() {
        return placedAs(++generation);
    }

    JobScenario placedAs(int asGeneration) {
        generation = Math.max(generation, asGeneration);
        placements.apply(metadata(EventType.GANG_PLACED, asGeneration), placement(asGeneration));
        return this;
    }

    /** Every agent takes in what it is asked and says that this is all. */
    JobScenario evidenceHeard() {
        for (SimulatedAgent agent : agents) {
            agent.desired(0);
            agent.report();
        }
        return this;
    }

    /** The scheduler has freed these nodes of the present generation and looks for others. */
    JobScenario wounded(SimulatedAgent... lost) {
        PlacementState whole = placement(generation);
        List<NodeId> nodes = Stream.of(lost).map(agent -> agent.node).toList();
        List<PlacedMember> members = whole.members().stream()
                .map(member -> new PlacedMember(
                        member.nodeRank(),
                        member.node(),
                        member.gpus(),
                        member.since(),
                        nodes.contains(member.node()) ? Instant.now() : null))
                .toList();
        placements.apply(
                metadata(EventType.GANG_WOUNDED, generation),
                new PlacementState(
                        job,
                        TENANT,
                        PROJECT,
                        QUEUE,
                        generation,
                        1,
                        members,
                        DomainType.RACK,
                        "r1",
                        Instant.now(),
                        null,
                        nodes,
                        null));
        return this;
    }

    PlacementState placement(int asGeneration) {
        List<PlacedMember> members = new ArrayList<>();
        for (int rank = 0; rank < agents.size(); rank++) {
            members.add(new PlacedMember(rank, agents.get(rank).node, List.of(0, 1), Instant.now(), null));
        }
        return new PlacementState(
                job,
                TENANT,
                PROJECT,
                QUEUE,
                asGeneration,
                1,
                members,
                DomainType.RACK,
                "r1",
                Instant.now(),
                null,
                List.of(),
                null);
    }

    void nodeSays(NodeId node, long session, List<Hold> holds) {
        nodes.apply(metadata(EventType.NODE_CHANGED, 1), state(node, session, holds));
    }

    static NodeState state(NodeId node, long session, List<Hold> holds) {
        NodeFacts facts = new NodeFacts(
                node,
                "1",
                "127.1.0.1",
                7000,
                new NodeDomains("r1", "p1", "pod1", "c1"),
                "sim",
                "535.1",
                List.of(
                        new GpuFacts(0, "g0", "H200", 1L << 37, false, null, null, null, Instant.now()),
                        new GpuFacts(1, "g1", "H200", 1L << 37, false, null, null, null, Instant.now())),
                8,
                1L << 37,
                "boot");
        return new NodeState(node, NodeCondition.HEALTHY, session, facts, holds, Instant.now(), false);
    }

    void evicted(SimulatedAgent agent) {
        Hold hold = new Hold(
                "hold_1",
                HoldScope.NODE,
                agent.node.value(),
                HoldEffect.EVICT,
                "LEASE_EXPIRED",
                "no heartbeat for 3 s",
                "health",
                1,
                Instant.now(),
                null);
        nodeSays(agent.node, 1, List.of(hold));
    }

    /** The scheduler will place another node where this one was. */
    SimulatedAgent replaced(SimulatedAgent dead, String by) {
        SimulatedAgent other = new SimulatedAgent(port, new NodeId(by));
        nodeSays(other.node, 1, List.of());
        agents.set(agents.indexOf(dead), other);
        return other;
    }

    JobScenario preflightPassed() {
        for (SimulatedAgent agent : agents) {
            agent.report(agent.passed(agent.await(job, AssignmentAction.PREFLIGHT)));
        }
        return this;
    }

    JobScenario ranksUp() {
        for (SimulatedAgent agent : agents) {
            agent.report(agent.up(agent.await(job, AssignmentAction.RUN)));
        }
        return this;
    }

    JobScenario running() {
        placed().preflightPassed().ranksUp();
        awaitState(JobPhase.RUNNING);
        return this;
    }

    JobScenario completed() {
        for (SimulatedAgent agent : agents) {
            Assignment task = task(agent, AssignmentAction.RUN);
            agent.report(agent.exited(task, ExitCause.COMPLETED, 0, "done"));
        }
        return this;
    }

    JobScenario allGone() {
        evidenceHeard();
        for (SimulatedAgent agent : agents) {
            agent.report(agent.gone(agent.await(job, AssignmentAction.STOP)));
        }
        return this;
    }

    Assignment task(SimulatedAgent agent, AssignmentAction action) {
        return agent.desired(0).assignments().stream()
                .filter(one -> one.jobId().equals(job) && one.action() == action)
                .findFirst()
                .orElseThrow(() -> new AssertionError(agent.node + " has no " + action));
    }

    JsonNode view() {
        Api.Reply reply = user.get("/api/v1/jobs/" + job);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    /** The parts that are shown are the whole that was held, and the attempt has its part. */
    void wasteIsWhatWasHeld() {
        JsonNode waste = user.get("/api/v1/jobs/" + job + "/waste").json();
        JsonNode total = waste.get("total");
        long parts = total.propertyStream()
                .filter(part -> !part.getKey().equals("heldGpuMillis"))
                .mapToLong(part -> part.getValue().longValue())
                .sum();
        assertThat(total.get("heldGpuMillis").longValue()).isPositive().isEqualTo(parts);
        assertThat(waste.get("attempts").get(0).get("attempt").intValue()).isEqualTo(1);
    }

    String state() {
        return view().get("state").stringValue();
    }

    JsonNode awaitState(JobPhase phase) {
        return await(view -> view.get("state").stringValue().equals(phase.name()), phase.name());
    }

    JsonNode await(Predicate<JsonNode> condition, String what) {
        Instant end = Instant.now().plus(Duration.ofSeconds(30));
        JsonNode view = view();
        while (!condition.test(view)) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError("never " + what + ": " + view);
            }
            pause();
            view = view();
        }
        return view;
    }

    static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static EventMetadata metadata(EventType type, long sequence) {
        return new EventMetadata("e", type.type(), "/test", "k", sequence, Instant.now());
    }
}

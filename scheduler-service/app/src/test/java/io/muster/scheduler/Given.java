package io.muster.scheduler;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeDomains;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.NodeState;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Jobs, nodes and quota trees as their owners would publish them. */
public final class Given {

    public static final Instant NOON = Instant.parse("2026-11-29T12:00:00Z");
    public static final TenantId ACME = TenantId.of("acme");
    public static final TenantId OTHER = TenantId.of("other");
    public static final ProjectId LLM = ProjectId.of("llm");
    public static final QueuePath RESEARCH = QueuePath.of("research");

    private Given() {}

    public static GangRequest gang(int nodes, int gpusPerNode) {
        return gang(nodes, gpusPerNode, DomainType.CLUSTER);
    }

    public static GangRequest gang(int nodes, int gpusPerNode, DomainType within) {
        return new GangRequest(
                nodes, gpusPerNode, List.of(), null, true, within, PlacementMode.REQUIRED, null, List.of());
    }

    public static JobId job(int number) {
        return JobId.of("job_%08d".formatted(number));
    }

    public static JobState queued(JobId job, GangRequest gang) {
        return queued(job, ACME, RESEARCH, gang, 5);
    }

    public static JobState queued(JobId job, TenantId tenant, QueuePath queue, GangRequest gang, int priority) {
        return new JobState(
                job,
                tenant,
                LLM,
                queue,
                "name-of-" + job.value(),
                JobPhase.QUEUED,
                null,
                priority,
                false,
                NOON,
                gang,
                true,
                0,
                0,
                List.of(),
                List.of(),
                null,
                null,
                null);
    }

    /** The job in another phase; it wants GPUs unless it ends. */
    public static JobState phase(JobState job, JobPhase phase, int generation, List<NodeId> released) {
        boolean wants = switch (phase) {
            case QUEUED, STARTING, RUNNING, RECOVERING, SUSPENDED -> true;
            case STOPPING, SUCCEEDED, FAILED, CANCELLED -> false;
        };
        return new JobState(
                job.jobId(),
                job.tenant(),
                job.project(),
                job.queue(),
                job.name(),
                phase,
                null,
                job.priority(),
                job.requeued(),
                job.submittedAt(),
                job.gang(),
                wants,
                generation,
                generation,
                released,
                job.failedNodes(),
                null,
                phase.ended() ? NOON : null,
                null);
    }

    /** Released whole after a failed preflight on these nodes. */
    public static JobState requeued(JobState job, int generation, List<NodeId> released, List<NodeId> failed) {
        return new JobState(
                job.jobId(),
                job.tenant(),
                job.project(),
                job.queue(),
                job.name(),
                JobPhase.QUEUED,
                "REQUEUED",
                job.priority(),
                true,
                job.submittedAt(),
                job.gang(),
                true,
                generation,
                generation,
                released,
                failed,
                null,
                null,
                null);
    }

    /** An attempt of the job was stopped because of these nodes; it wants to go on. */
    public static JobState recovering(JobState job, int generation, List<NodeId> released, List<NodeId> failed) {
        JobState state = requeued(job, generation, released, failed);
        return phase(state, JobPhase.RECOVERING, generation, released);
    }

    public static NodeState spare(NodeState node) {
        return new NodeState(
                node.node(), node.condition(), node.session(), node.facts(), node.holds(), node.registeredAt(), true);
    }

    public static NodeId node(int rack, int number) {
        return NodeId.of("r" + rack + "-n" + number);
    }

    /** Racks of four, eight GPUs a node. */
    public static List<NodeState> cluster(int racks, int nodesPerRack) {
        List<NodeState> nodes = new ArrayList<>();
        for (int rack = 1; rack <= racks; rack++) {
            for (int number = 1; number <= nodesPerRack; number++) {
                nodes.add(healthy(node(rack, number), "rack-" + rack));
            }
        }
        return nodes;
    }

    public static NodeState healthy(NodeId node, String rack) {
        return new NodeState(
                node, NodeCondition.HEALTHY, 1, facts(node, rack, gpus("H200", 8)), List.of(), NOON, false);
    }

    public static NodeFacts facts(NodeId node, String rack, List<GpuFacts> gpus) {
        return new NodeFacts(
                node,
                "0.1",
                "127.0.0.1",
                7000,
                new NodeDomains(rack, "power-1", "pod-1", "local"),
                "simulated",
                "550.90.07",
                gpus,
                64,
                1L << 40,
                "boot-1");
    }

    public static List<GpuFacts> gpus(String model, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> gpu(index, model, false))
                .toList();
    }

    public static GpuFacts gpu(int index, String model, boolean vetoed) {
        return new GpuFacts(index, "gpu-" + index, model, 141L << 30, vetoed, 40, 300, null, NOON);
    }

    public static NodeState with(NodeState node, Hold... holds) {
        return new NodeState(
                node.node(),
                NodeCondition.QUARANTINED,
                node.session(),
                node.facts(),
                List.of(holds),
                node.registeredAt(),
                node.spare());
    }

    public static Hold hold(HoldScope scope, String target, HoldEffect effect, String cause) {
        return new Hold(
                "hld_" + target, scope, target, effect, cause, cause + " on " + target, "health", 1, NOON, null);
    }

    public static QuotaTree tree(long version, @Nullable Long researchLimit) {
        return new QuotaTree(
                version,
                List.of(
                        new QuotaNode(QueuePath.ROOT, 64, null, 1, false, false, false, null, List.of()),
                        new QuotaNode(RESEARCH, 32, researchLimit, 1, false, false, false, null, List.of("acme/llm")),
                        new QuotaNode(QueuePath.of("public"), 0, null, 1, false, true, false, null, List.of()),
                        new QuotaNode(QueuePath.of("private"), 0, null, 1, false, false, false, OTHER, List.of())));
    }
}

package io.muster.job.query;

import io.muster.contract.agent.Progress;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.job.lifecycle.Attempt;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobReader;
import io.muster.job.spec.SpecWriter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A job as a person sees it.
 *
 * @param spec as it was sent
 * @param effectiveSpec with every default filled in; can be submitted again
 * @param placement where the newest attempt is or was; null before the first
 * @param failedNodes not used for this job now: blamed for a failed start, or lost and not yet come back
 * @param firstStepAt when the newest attempt was first seen to have trained a step of its own
 * @param runSeconds time in RUNNING over all attempts until this state began
 */
@Schema(description = "A job: what was asked for, where it stands and why, and what it has reached")
public record JobView(
        JobId id,
        TenantId tenant,
        ProjectId project,
        QueuePath queue,
        String name,
        JobPhase state,
        String reason,
        String message,
        Instant stateSince,
        int priority,
        int nodes,
        int gpus,
        int attempt,
        int generation,
        @Nullable Placement placement,
        @Nullable Progress progress,
        @Nullable Map<String, Object> result,
        @Nullable CheckpointState checkpoint,
        List<NodeId> failedNodes,
        RestartsView restarts,
        Instant submittedAt,
        @Nullable Instant runningSince,
        @Nullable Instant firstStepAt,
        @Nullable Instant endedAt,
        long runSeconds,
        JsonNode spec,
        Map<String, Object> effectiveSpec,
        Map<String, String> links) {

    /** @param domain the tightest domain that holds all members */
    public record Placement(DomainType level, String domain, List<PlacedNode> members) {}

    public record PlacedNode(int nodeRank, NodeId node, List<Integer> gpus) {}

    /** Restarts made, by whose fault, and how many the spec allows. */
    public record RestartsView(Budget platform, Budget user) {}

    public record Budget(int used, int allowed) {}

    static JobView of(JobReader.Shown shown, JsonNode submittedSpec) {
        Job job = shown.job();
        Attempt attempt = job.attempt();
        return new JobView(
                job.id(),
                job.head().tenant(),
                job.head().project(),
                job.head().queue(),
                job.head().spec().name(),
                job.phase(),
                job.status().reason().name(),
                job.status().message(),
                job.status().since(),
                job.head().spec().priority().level(),
                job.head().spec().gang().nodes(),
                job.head().spec().gang().gpus(),
                attempt == null ? 0 : attempt.number(),
                job.holding().generation(),
                attempt == null ? null : placement(attempt),
                job.progress(),
                job.result(),
                shown.checkpoint(),
                job.holding().failedNodes(),
                restarts(job),
                job.head().submittedAt(),
                job.runTime().runningSince(),
                attempt == null ? null : attempt.training().firstStepAt(),
                job.phase().ended() ? job.status().since() : null,
                job.runTime().finished().toSeconds(),
                submittedSpec,
                SpecWriter.write(job.head().spec()),
                links(job.id()));
    }

    private static RestartsView restarts(Job job) {
        var allowed = job.head().spec().faultTolerance();
        return new RestartsView(
                new Budget(job.restarts().platform(), allowed.platformRestarts()),
                new Budget(job.restarts().user(), allowed.userRestarts()));
    }

    private static Placement placement(Attempt attempt) {
        return new Placement(
                attempt.place().level(),
                attempt.place().domain(),
                attempt.members().stream()
                        .map(member -> new PlacedNode(member.nodeRank(), member.node(), member.gpus()))
                        .toList());
    }

    public static String path(JobId id) {
        return "/api/v1/jobs/" + id;
    }

    private static Map<String, String> links(JobId id) {
        Map<String, String> links = new LinkedHashMap<>();
        links.put("self", path(id));
        for (String part :
                List.of("timeline", "attempts", "logs", "explanation", "cancel", "checkpoints", "cost", "waste")) {
            links.put(part, path(id) + "/" + part);
        }
        return links;
    }
}

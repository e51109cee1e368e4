package io.muster.agent.checkpoint;

import io.muster.agent.http.Answer;
import io.muster.agent.http.ServiceClient;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.SavePlan;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.net.URI;
import java.time.Duration;

/** checkpoint-service as an agent sees it. */
public final class CheckpointCalls {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration WHILE_THE_TRAINER_WAITS = Duration.ofSeconds(2);

    private final ServiceClient services;
    private final URI service;
    private final String root;

    public CheckpointCalls(ServiceClient services, URI service, NodeId node) {
        this.services = services;
        this.service = service;
        this.root = "/internal/agents/" + node;
    }

    Answer<ReserveAnswer> reserve(ReserveCheckpoint request) {
        return services.post(service, root + "/checkpoints", request, ReserveAnswer.class, PATIENCE);
    }

    Answer<ShardsAnswer> report(CheckpointId checkpoint, ReportShards request) {
        String path = root + "/checkpoints/" + checkpoint + "/shards";
        return services.post(service, path, request, ShardsAnswer.class, PATIENCE);
    }

    Answer<SavePlan> plan(JobId job, int attempt, long step, long intervalSeconds) {
        String path = root + "/jobs/" + job + "/save-plan?attempt=" + attempt + "&step=" + step + "&intervalSeconds="
                + intervalSeconds;
        return services.get(service, path, SavePlan.class, WHILE_THE_TRAINER_WAITS);
    }
}

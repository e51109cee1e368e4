package io.muster.agent.desired;

import io.muster.checkpoint.catalog.SimulatedCheckpointService.Reply;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.Registration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How an agent reaches the services; null: no answer. */
public interface Services {

    void register(NodeFacts facts, boolean join, Consumer<@Nullable Registration> answer);

    void heartbeat(Heartbeat beat, Consumer<@Nullable HeartbeatAnswer> answer);

    /** False: never again. */
    void preflight(PreflightReport report, Consumer<@Nullable Boolean> answer);

    void desired(long revision, long wait, Consumer<@Nullable DesiredState> answer);

    void report(NodeReport report, Consumer<@Nullable ReportAnswer> answer);

    void reserve(ReserveCheckpoint request, Consumer<@Nullable Reply<ReserveAnswer>> answer);

    void shards(CheckpointId id, ReportShards report, Consumer<@Nullable Reply<ShardsAnswer>> answer);
}

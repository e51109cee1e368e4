package io.muster.simulation;

import io.muster.agent.desired.Services;
import io.muster.checkpoint.catalog.SimulatedCheckpointService;
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
import io.muster.health.SimulatedHealthService;
import io.muster.job.lifecycle.SimulatedJobService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How one agent reaches the services. */
final class Wire implements Services {

    private final Network network;
    private final Invariants invariants;
    private final SimulatedHealthService health;
    private final SimulatedJobService jobs;
    private final SimulatedCheckpointService checkpoints;
    private final Machine machine;

    Wire(
            Network network,
            Invariants invariants,
            SimulatedHealthService health,
            SimulatedJobService jobs,
            SimulatedCheckpointService checkpoints,
            Machine machine) {
        this.network = network;
        this.invariants = invariants;
        this.health = health;
        this.jobs = jobs;
        this.checkpoints = checkpoints;
        this.machine = machine;
    }

    private Life agent() {
        return machine.agent().life();
    }

    @Override
    public void register(NodeFacts facts, boolean join, Consumer<@Nullable Registration> answer) {
        network.ask(
                agent(),
                health.life(),
                machine::reachesServices,
                5000,
                () -> join ? health.join(facts) : health.register(facts),
                answer);
    }

    @Override
    public void heartbeat(Heartbeat beat, Consumer<@Nullable HeartbeatAnswer> answer) {
        network.ask(
                agent(),
                health.life(),
                machine::reachesServices,
                2000,
                () -> {
                    HeartbeatAnswer given = health.heartbeat(machine.id, beat);
                    if (given != null && !given.registerAgain()) {
                        invariants.heard(machine.id, beat.session(), beat.sequence());
                    }
                    return given;
                },
                answer);
    }

    @Override
    public void preflight(PreflightReport report, Consumer<@Nullable Boolean> answer) {
        network.ask(
                agent(),
                health.life(),
                machine::reachesServices,
                3000,
                () -> health.preflight(machine.id, report),
                answer);
    }

    @Override
    public void desired(long revision, long wait, Consumer<@Nullable DesiredState> answer) {
        network.<DesiredState>askForLater(
                agent(),
                jobs.life(),
                machine::reachesServices,
                (int) wait + 10_000,
                reply -> jobs.poll(machine.id, revision, wait, reply::accept),
                answer);
    }

    @Override
    public void report(NodeReport report, Consumer<@Nullable ReportAnswer> answer) {
        network.ask(
                agent(), jobs.life(), machine::reachesServices, 3000, () -> jobs.report(machine.id, report), answer);
    }

    @Override
    public void reserve(ReserveCheckpoint request, Consumer<@Nullable Reply<ReserveAnswer>> answer) {
        network.ask(
                agent(),
                checkpoints.life(),
                machine::reachesServices,
                3000,
                () -> checkpoints.reserve(machine.id, request),
                answer);
    }

    @Override
    public void shards(CheckpointId id, ReportShards report, Consumer<@Nullable Reply<ShardsAnswer>> answer) {
        network.ask(
                agent(),
                checkpoints.life(),
                machine::reachesServices,
                3000,
                () -> checkpoints.shards(machine.id, id, report),
                answer);
    }
}

package io.muster.simulation;

import io.muster.contract.agent.EnvProfile;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.PlacementMode;
import io.muster.job.lifecycle.Job;
import io.muster.job.spec.JobSpec;
import io.muster.job.spec.Priority;
import io.muster.job.spec.SaveInterval;
import io.muster.job.spec.WorkloadKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A job and how its program behaves.
 *
 * @param savesEvery steps between checkpoints; 0: it does not save
 * @param bugAtStep where the program fails; 0: never
 * @param bugAlways in every attempt that comes by, or only in the first
 */
public record JobPlan(
        JobId id,
        int nodes,
        int gpusPerNode,
        int processes,
        long steps,
        int stepMillis,
        int savesEvery,
        boolean client,
        int priority,
        int platformRestarts,
        int userRestarts,
        long bugAtStep,
        boolean bugAlways,
        ExitCause exitCause) {

    public static final TenantId TENANT = TenantId.of("acme");
    public static final ProjectId PROJECT = ProjectId.of("llm");
    public static final QueuePath QUEUE = QueuePath.of("acme/train");

    public boolean failsAt(int attempt, long step) {
        return bugAtStep > 0 && step == bugAtStep && (bugAlways || attempt == 1);
    }

    public int exitCode() {
        return exitCause == ExitCause.SIGNAL ? 139 : 1;
    }

    public String lastLine() {
        return exitCause == ExitCause.SIGNAL ? "" : "ValueError: loss is NaN";
    }

    static JobPlan drawn(int number, int machines, int gpus, Chance chance) {
        boolean bug = chance.once(0.25);
        long steps = chance.between(5, 45);
        return new JobPlan(
                JobId.of("job_0000000" + number),
                chance.between(1, Math.min(3, machines)),
                chance.once(0.5) ? gpus : gpus / 2,
                chance.once(0.25) ? 2 : 1,
                steps,
                chance.between(300, 1500),
                chance.once(0.9) ? chance.between(2, 8) : 0,
                chance.once(0.6),
                chance.between(4, 6),
                chance.once(0.8) ? 20 : chance.between(0, 3),
                chance.between(0, 3),
                bug ? chance.between(1, (int) steps - 1) : 0,
                chance.once(0.4),
                chance.of(List.of(
                        ExitCause.USER_ERROR, ExitCause.USER_ERROR, ExitCause.OUT_OF_MEMORY, ExitCause.SIGNAL)));
    }

    Job.Head head(Instant now) {
        JobSpec spec = new JobSpec(
                id.value(),
                PROJECT,
                QUEUE,
                WorkloadKind.PRETRAINING,
                new Priority(priority),
                new JobSpec.Runtime(List.of("train"), List.of(), null, Map.of(), client, null, EnvProfile.DIRECT),
                new JobSpec.Resources(nodes, gpusPerNode, processes, List.of(), null),
                new JobSpec.Topology(DomainType.CLUSTER, PlacementMode.REQUIRED, null, List.<NodeId>of()),
                savesEvery == 0
                        ? null
                        : new JobSpec.Checkpoint(
                                "store://runs/" + id.value(), new SaveInterval(savesEvery, 0), "latest"),
                new JobSpec.FaultTolerance(platformRestarts, userRestarts),
                null,
                Map.of());
        return new Job.Head(id, TENANT, PROJECT, QUEUE, spec, now);
    }
}

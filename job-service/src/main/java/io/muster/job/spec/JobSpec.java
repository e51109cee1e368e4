package io.muster.job.spec;

import io.muster.contract.agent.EnvProfile;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.job.Spread;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accepted fields of a job spec, defaults filled in; made only by {@link SpecReader}.
 *
 * @param project null until submission has chosen one (so for the queue)
 * @param checkpoint null: the job does not save
 */
public record JobSpec(
        String name,
        @Nullable ProjectId project,
        @Nullable QueuePath queue,
        WorkloadKind kind,
        Priority priority,
        Runtime runtime,
        Resources resources,
        Topology topology,
        @Nullable Checkpoint checkpoint,
        FaultTolerance faultTolerance,
        @Nullable Duration maxRuntime,
        Map<String, String> labels) {

    public JobSpec {
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }

    /** The same job with its project and queue settled. */
    public JobSpec in(ProjectId chosenProject, QueuePath chosenQueue) {
        return new JobSpec(
                name,
                chosenProject,
                chosenQueue,
                kind,
                priority,
                runtime,
                resources,
                topology,
                checkpoint,
                faultTolerance,
                maxRuntime,
                labels);
    }

    /** What the scheduler must find; one driver version for the whole gang is the rule. */
    public GangRequest gang() {
        return new GangRequest(
                resources.nodes,
                resources.gpusPerNode,
                resources.gpuTypes,
                resources.minDriverVersion,
                true,
                topology.within,
                topology.mode,
                topology.spread,
                topology.avoidNodes);
    }

    /** Processes that the agents start: with torchrun one a node, which starts the ranks itself. */
    public int processesPerNode() {
        return switch (runtime.envProfile) {
            case DIRECT -> resources.processesPerNode;
            case TORCHRUN -> 1;
        };
    }

    public int worldSize() {
        return resources.nodes * resources.processesPerNode;
    }

    public record Runtime(
            List<String> command,
            List<String> args,
            @Nullable String workingDir,
            Map<String, String> env,
            boolean client,
            @Nullable String image,
            EnvProfile envProfile) {
        public Runtime {
            command = List.copyOf(command);
            args = List.copyOf(args);
            env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        }
    }

    public record Resources(
            int nodes,
            int gpusPerNode,
            int processesPerNode,
            List<String> gpuTypes,
            @Nullable String minDriverVersion) {
        public Resources {
            gpuTypes = List.copyOf(gpuTypes);
        }
    }

    public record Topology(
            DomainType within, PlacementMode mode, @Nullable Spread spread, List<NodeId> avoidNodes) {
        public Topology {
            avoidNodes = List.copyOf(avoidNodes);
        }
    }

    /** How often the job may be started again for faults of the platform and of its own processes. */
    public record FaultTolerance(int platformRestarts, int userRestarts) {}

    /**
     * @param uri {@code store://folder/sub}
     * @param resumeFrom {@code latest}, {@code none} or a checkpoint id
     */
    public record Checkpoint(String uri, SaveInterval interval, String resumeFrom) {

        static final String SCHEME = "store://";

        /** The path below the tenant's folder in the store. */
        public String folder() {
            return uri.substring(SCHEME.length());
        }
    }
}

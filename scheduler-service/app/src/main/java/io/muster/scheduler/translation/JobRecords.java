package io.muster.scheduler.translation;

import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobState;
import io.muster.contract.job.Spread;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.Demand;
import io.muster.scheduling.cluster.JobWish;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import io.muster.scheduling.quota.QueuePath;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the core sees of a job. A job wants a placement while it wants GPUs and no attempt of it is under way: a running
 * job whose nodes were all evicted waits for job-service's judgement and is not placed behind its back. What it still
 * has is kept: while it wants GPUs, a wounded gang of it is repaired.
 */
public final class JobRecords {

    private JobRecords() {}

    public static JobChanged of(JobState state) {
        return new JobChanged(
                new JobId(state.jobId().value()),
                new Demand(
                        new QueuePath(state.queue().value()),
                        state.priority(),
                        state.requeued(),
                        micros(state.submittedAt()),
                        gang(state.gang(), state.failedNodes())),
                wish(state),
                state.generation());
    }

    private static JobWish wish(JobState state) {
        return switch (state.phase()) {
            case QUEUED, SUSPENDED -> state.wantsGpus() ? JobWish.PLACEMENT : JobWish.NOTHING;
            case STARTING, RUNNING, RECOVERING, STOPPING -> state.wantsGpus() ? JobWish.KEEPING : JobWish.NOTHING;
            case SUCCEEDED, FAILED, CANCELLED -> JobWish.ENDED;
        };
    }

    /** Throws IllegalArgumentException, saying why, for a gang that the core cannot express. */
    public static GangRequest gang(
            io.muster.contract.job.GangRequest gang, Collection<io.muster.contract.id.NodeId> failedNodes) {
        @Nullable String driver = gang.minDriverVersion();
        return new GangRequest(
                gang.nodes(),
                gang.gpusPerNode(),
                gang.gpuTypes().stream().map(GpuModel::new).toList(),
                driver == null ? null : DriverVersion.of(driver),
                gang.equalDriver(),
                domain(gang.within()),
                switch (gang.mode()) {
                    case REQUIRED -> PlacementMode.REQUIRED;
                    case PREFERRED -> PlacementMode.PREFERRED;
                },
                spread(gang.spread()),
                nodes(gang.avoidNodes()),
                nodes(failedNodes));
    }

    private static @Nullable SpreadLimit spread(@Nullable Spread spread) {
        return spread == null ? null : new SpreadLimit(domain(spread.domain()), spread.maxNodes());
    }

    private static List<NodeId> nodes(Collection<io.muster.contract.id.NodeId> nodes) {
        return nodes.stream().map(node -> new NodeId(node.value())).toList();
    }

    static io.muster.scheduling.gang.DomainType domain(DomainType type) {
        return switch (type) {
            case NODE -> io.muster.scheduling.gang.DomainType.NODE;
            case RACK -> io.muster.scheduling.gang.DomainType.RACK;
            case POWER -> io.muster.scheduling.gang.DomainType.POWER;
            case POD -> io.muster.scheduling.gang.DomainType.POD;
            case CLUSTER -> io.muster.scheduling.gang.DomainType.CLUSTER;
        };
    }

    /** Back into the published language. */
    public static DomainType published(io.muster.scheduling.gang.DomainType type) {
        return switch (type) {
            case NODE -> DomainType.NODE;
            case RACK -> DomainType.RACK;
            case POWER -> DomainType.POWER;
            case POD -> DomainType.POD;
            case CLUSTER -> DomainType.CLUSTER;
        };
    }

    private static long micros(Instant instant) {
        return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(instant.getNano());
    }
}

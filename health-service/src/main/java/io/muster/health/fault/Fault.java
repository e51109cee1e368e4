package io.muster.health.fault;

import io.muster.contract.fault.BlastRadius;
import io.muster.contract.fault.FaultAction;
import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultPhase;
import io.muster.contract.fault.FaultSeverity;
import io.muster.contract.fault.FaultState;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.health.fault.PassedPhase.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A fault as it is stored; every change is a function from fault to fault. It knows whose business each part is, so that
 * {@link #seenBy a tenant} sees it without the jobs of others.
 *
 * @param holdId the hold whose story this is; null for the others
 */
record Fault(
        String faultId,
        String incidentId,
        @Nullable String causedBy,
        FaultLayer layer,
        String code,
        String domain,
        FaultSeverity severity,
        FaultStatus status,
        String message,
        @Nullable String holdId,
        List<NodeId> nodes,
        List<TouchedJob> jobs,
        List<NotedAction> actions,
        List<PassedPhase> phases,
        Instant firstSeenAt,
        Instant detectedAt,
        @Nullable Instant resolvedAt) {

    /** A fault that lasts for weeks stays small enough for an event. */
    static final int MOST_ACTIONS = 300;

    Fault {
        nodes = nodes.stream().distinct().sorted().toList();
        jobs = jobs.stream()
                .sorted(Comparator.comparing(touched -> touched.job().value()))
                .toList();
        actions = List.copyOf(actions);
        phases = List.copyOf(phases);
    }

    /** What is known when it opens; the rest is noted later. */
    record Opening(
            String faultId,
            String incidentId,
            FaultLayer layer,
            String code,
            String domain,
            FaultSeverity severity,
            String message,
            @Nullable String holdId,
            Instant firstSeenAt) {}

    static Fault opened(Opening opening, List<NodeId> nodes, List<TouchedJob> jobs, Instant now) {
        Instant seen = opening.firstSeenAt().isAfter(now) ? now : opening.firstSeenAt();
        return new Fault(
                opening.faultId(),
                opening.incidentId(),
                null,
                opening.layer(),
                opening.code(),
                opening.domain(),
                opening.severity(),
                FaultStatus.OPEN,
                opening.message(),
                opening.holdId(),
                nodes,
                jobs,
                List.of(),
                List.of(PassedPhase.of(null, Phase.DETECTED, now, seen)),
                seen,
                now,
                null);
    }

    boolean open() {
        return status == FaultStatus.OPEN;
    }

    Optional<TouchedJob> job(JobId job) {
        return jobs.stream().filter(touched -> touched.job().equals(job)).findFirst();
    }

    Fault with(NotedAction noted) {
        boolean known = actions.stream().anyMatch(action -> action.sameAs(noted));
        if (known || actions.size() >= MOST_ACTIONS) {
            return this;
        }
        return copy(causedBy, incidentId, message, nodes, jobs, plus(actions, noted), phases);
    }

    Fault acted(String action, String actor, Instant at, String what) {
        return with(new NotedAction(new FaultAction(action, actor, at, what), null));
    }

    Fault acted(JobId job, String action, String actor, Instant at, String what) {
        return with(new NotedAction(new FaultAction(action, actor, at, what), job));
    }

    boolean hasPassed(JobId job, Phase phase) {
        return phases.stream().anyMatch(passed -> passed.phase() == phase && job.equals(passed.job()));
    }

    /** The first time counts. */
    Fault passed(JobId job, Phase phase, Instant at) {
        return hasPassed(job, phase)
                ? this
                : copy(
                        causedBy,
                        incidentId,
                        message,
                        nodes,
                        jobs,
                        actions,
                        plus(phases, PassedPhase.of(job, phase, at, firstSeenAt)));
    }

    Fault touching(List<NodeId> moreNodes, List<TouchedJob> moreJobs) {
        List<TouchedJob> all = new ArrayList<>(jobs);
        for (TouchedJob more : moreJobs) {
            if (job(more.job()).isEmpty()) {
                all.add(more);
            }
        }
        return copy(
                causedBy,
                incidentId,
                message,
                Stream.concat(nodes.stream(), moreNodes.stream()).toList(),
                all,
                actions,
                phases);
    }

    Fault recovered(JobId job) {
        return with(job, TouchedJob::recovered);
    }

    /** What was left of the job's gang goes on as that generation. */
    Fault repairedBy(JobId job, int generation) {
        return with(job, touched -> touched.repairedBy(generation));
    }

    private Fault with(JobId job, UnaryOperator<TouchedJob> change) {
        return copy(
                causedBy,
                incidentId,
                message,
                nodes,
                jobs.stream()
                        .map(touched -> touched.job().equals(job) ? change.apply(touched) : touched)
                        .toList(),
                actions,
                phases);
    }

    Fault saying(String now) {
        return copy(causedBy, incidentId, now, nodes, jobs, actions, phases);
    }

    /** It follows from that one and belongs to its incident. */
    Fault causedBy(Fault root) {
        return copy(root.faultId, root.incidentId, message, nodes, jobs, actions, phases);
    }

    Fault resolved(Instant at) {
        return new Fault(
                faultId,
                incidentId,
                causedBy,
                layer,
                code,
                domain,
                severity,
                FaultStatus.RESOLVED,
                message,
                holdId,
                nodes,
                jobs,
                actions,
                phases,
                firstSeenAt,
                detectedAt,
                at.isBefore(detectedAt) ? detectedAt : at);
    }

    private Fault copy(
            @Nullable String cause,
            String incident,
            String text,
            List<NodeId> touchedNodes,
            List<TouchedJob> touchedJobs,
            List<NotedAction> noted,
            List<PassedPhase> passed) {
        return new Fault(
                faultId,
                incident,
                cause,
                layer,
                code,
                domain,
                severity,
                status,
                text,
                holdId,
                touchedNodes,
                touchedJobs,
                noted,
                passed,
                firstSeenAt,
                detectedAt,
                resolvedAt);
    }

    private static <T> List<T> plus(List<T> list, T more) {
        List<T> all = new ArrayList<>(list);
        all.add(more);
        return all;
    }

    /** Without the jobs of other tenants and what was done about them. */
    Fault seenBy(TenantId tenant) {
        List<TouchedJob> own =
                jobs.stream().filter(touched -> touched.tenant().equals(tenant)).toList();
        Predicate<@Nullable JobId> visible = job ->
                job == null || own.stream().anyMatch(touched -> touched.job().equals(job));
        return copy(
                causedBy,
                incidentId,
                message,
                nodes,
                own,
                actions.stream().filter(noted -> visible.test(noted.job())).toList(),
                phases.stream().filter(passed -> visible.test(passed.job())).toList());
    }

    /** What the world sees. Of several jobs in one phase the last counts. */
    FaultState state() {
        Map<Phase, PassedPhase> last = new TreeMap<>();
        for (PassedPhase passed : phases) {
            last.merge(passed.phase(), passed, (one, other) -> one.at().isAfter(other.at()) ? one : other);
        }
        return new FaultState(
                faultId,
                incidentId,
                causedBy,
                layer,
                code,
                domain,
                severity,
                status,
                message,
                new BlastRadius(
                        nodes,
                        jobs.stream().map(TouchedJob::job).toList(),
                        jobs.stream().mapToInt(TouchedJob::gpus).sum(),
                        (int) jobs.stream().map(TouchedJob::tenant).distinct().count()),
                NextStep.of(this),
                actions.stream().map(NotedAction::action).toList(),
                last.values().stream()
                        .map(passed -> new FaultPhase(passed.phase().name(), passed.at(), passed.seconds()))
                        .toList(),
                firstSeenAt,
                detectedAt,
                resolvedAt);
    }

    /** The key of its events: the node, or what failed. */
    String eventKey() {
        return layer == FaultLayer.NODE
                ? Objects.requireNonNull(nodes.getFirst()).value()
                : domain;
    }
}

package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultState;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.health.node.Timestamps;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * What people ask about faults. A tenant sees faults that touched its jobs, and of them only its own part; the scope is in
 * the query, so that no page tells how many others there are.
 */
@Repository
public class FaultQuery {

    /** Null: all. */
    public record Filter(
            @Nullable FaultStatus status,
            @Nullable FaultLayer layer,
            @Nullable NodeId node,
            @Nullable JobId job) {

        /** Is this a fault of the list, whatever its status? As seen by whoever asks. */
        boolean isAbout(Fault seen) {
            return (layer == null || layer == seen.layer())
                    && (node == null || seen.nodes().contains(node))
                    && (job == null || seen.job(job).isPresent());
        }

        boolean wants(FaultStatus one) {
            return status == null || status == one;
        }
    }

    /** How many faults are open. */
    record OpenCount(String layer, String code, String severity, int faults) {}

    /** How long recoveries took to the end of a phase. */
    @Schema(name = "PhaseStatistics")
    record PhaseTimes(
            FaultLayer layer,

            @Schema(description = "DETECTED, DECIDED, PLACED, PREFLIGHT, RESTORED, RUNNING or FIRST_STEP")
            String phase,

            @Schema(description = "recoveries that have passed it")
            long count,

            @Schema(description = "half of them within this time since the last good moment")
            double p50Seconds,

            double p95Seconds,
            double maxSeconds) {}

    private final JdbcClient jdbc;
    private final FaultRepository repository;

    FaultQuery(JdbcClient jdbc, FaultRepository repository) {
        this.jdbc = jdbc;
        this.repository = repository;
    }

    Page<FaultState> page(UserCaller caller, Filter filter, @Nullable String after, int size) {
        String before = after == null ? "" : PageToken.decode(after).lastKey();
        List<Fault> found = select(caller, filter, before, size + 1, false);
        List<FaultState> shown = found.stream()
                .limit(size)
                .map(fault -> asSeen(fault, caller).state())
                .toList();
        return new Page<>(
                shown, found.size() > size ? new PageToken(shown.getLast().faultId()).encoded() : null);
    }

    /** The newest faults of a node itself; ends of ranks on it are faults of their jobs. */
    public List<FaultState> ofNode(UserCaller caller, NodeId node, int limit) {
        return select(caller, new Filter(null, null, node, null), "", limit, true).stream()
                .map(fault -> asSeen(fault, caller).state())
                .toList();
    }

    Optional<FaultState> find(UserCaller caller, String faultId) {
        return repository.find(faultId).flatMap(fault -> seen(fault, caller)).map(Fault::state);
    }

    /** As this caller may see it; empty if not at all. */
    static Optional<Fault> seen(Fault fault, UserCaller caller) {
        return caller.seesAllTenants() || touches(fault, caller.tenant())
                ? Optional.of(asSeen(fault, caller))
                : Optional.empty();
    }

    private static boolean touches(Fault fault, TenantId tenant) {
        return fault.jobs().stream().anyMatch(job -> job.tenant().equals(tenant));
    }

    private static Fault asSeen(Fault fault, UserCaller caller) {
        return caller.seesAllTenants() ? fault : fault.seenBy(caller.tenant());
    }

    /** The newest first. */
    private List<Fault> select(UserCaller caller, Filter filter, String before, int limit, boolean notOfJobs) {
        return jdbc
                .sql("""
                        select f.story from fault f
                        where (:before = '' or f.fault_id < :before)
                          and (:status = '' or f.status = :status)
                          and (:layer = '' or f.layer = :layer)
                          and (not :notOfJobs or f.layer not in ('PROCESS', 'CHECKPOINT'))
                          and (:node = '' or exists (
                              select 1 from fault_node n where n.fault_id = f.fault_id and n.node_id = :node))
                          and (:job = '' or exists (
                              select 1 from fault_job j where j.fault_id = f.fault_id and j.job_id = :job
                                and (:tenant = '' or j.tenant = :tenant)))
                          and (:tenant = '' or exists (
                              select 1 from fault_job t where t.fault_id = f.fault_id and t.tenant = :tenant))
                        order by f.fault_id desc limit :limit""")
                .param("before", before)
                .param("notOfJobs", notOfJobs)
                .param("status", filter.status() == null ? "" : filter.status().name())
                .param("layer", filter.layer() == null ? "" : filter.layer().name())
                .param("node", filter.node() == null ? "" : filter.node().value())
                .param("job", filter.job() == null ? "" : filter.job().value())
                .param("tenant", caller.seesAllTenants() ? "" : caller.tenant().value())
                .param("limit", limit)
                .query(String.class)
                .list()
                .stream()
                .map(repository::read)
                .toList();
    }

    /** Of the recoveries since then; a tenant's are those of its own jobs. */
    List<PhaseTimes> phases(UserCaller caller, Instant since) {
        return jdbc.sql("""
                        select p.layer, p.phase, count(*) as passed,
                               percentile_cont(0.5) within group (order by p.seconds) as p50,
                               percentile_cont(0.95) within group (order by p.seconds) as p95,
                               max(p.seconds) as longest
                        from fault_phase p
                        where p.at >= :since
                          and (:tenant = '' or exists (
                              select 1 from fault_job t where t.fault_id = p.fault_id and t.tenant = :tenant
                                and (p.job_id = '' or t.job_id = p.job_id)))
                        group by p.layer, p.phase order by p.layer, array_position(
                            array['DETECTED', 'DECIDED', 'PLACED', 'PREFLIGHT', 'RESTORED', 'RUNNING', 'FIRST_STEP'],
                            p.phase)""")
                .param("since", Timestamps.of(since))
                .param("tenant", caller.seesAllTenants() ? "" : caller.tenant().value())
                .query((row, n) -> new PhaseTimes(
                        FaultLayer.valueOf(row.getString("layer")),
                        row.getString("phase"),
                        row.getLong("passed"),
                        row.getDouble("p50"),
                        row.getDouble("p95"),
                        row.getDouble("longest")))
                .list();
    }

    List<OpenCount> countOpen() {
        return jdbc.sql("""
                select layer, code, story ->> 'severity' as severity, count(*) as faults
                from fault where status = 'OPEN' group by layer, code, story ->> 'severity'""")
                .query((row, n) -> new OpenCount(
                        row.getString("layer"), row.getString("code"), row.getString("severity"), row.getInt("faults")))
                .list();
    }
}

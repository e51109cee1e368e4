package io.muster.health.fault;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.JobState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.health.node.Timestamps;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Which job holds GPUs on which node, and at which attempt it is: a projection, as new as the events that have arrived. */
@Repository
class SeatRepository {

    private static final int BATCH = 500;

    private final JdbcClient jdbc;
    private final JdbcOperations batches;

    SeatRepository(JdbcClient jdbc, JdbcOperations batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    /** A job that has ended is forgotten. */
    void put(JobState job, Instant at) {
        if (job.phase().ended()) {
            jdbc.sql("delete from job_view where job_id = ?")
                    .param(job.jobId().value())
                    .update();
            return;
        }
        jdbc.sql("""
                        insert into job_view (job_id, tenant, phase, reason, attempt, told_at)
                        values (:job, :tenant, :phase, :reason, :attempt, :at)
                        on conflict (job_id) do update set phase = excluded.phase, reason = excluded.reason,
                            attempt = excluded.attempt, told_at = excluded.told_at""")
                .param("job", job.jobId().value())
                .param("tenant", job.tenant().value())
                .param("phase", job.phase().name())
                .param("reason", Objects.requireNonNullElse(job.reason(), ""))
                .param("attempt", job.attempt())
                .param("at", Timestamps.of(at))
                .update();
    }

    Optional<Integer> attemptOf(JobId job) {
        return jdbc.sql("select attempt from job_view where job_id = ?")
                .param(job.value())
                .query(Integer.class)
                .optional();
    }

    /** The state is whole for its generation. A gang that has ended leaves nothing behind. */
    void put(PlacementState placement) {
        jdbc.sql("delete from job_seat where job_id = ? and generation = ?")
                .params(placement.jobId().value(), placement.generation())
                .update();
        if (placement.endedAt() != null) {
            return;
        }
        List<PlacedMember> members = placement.members();
        batches.batchUpdate(
                "insert into job_seat (job_id, generation, node_id, tenant, gpus, held) values (?, ?, ?, ?, ?, ?)",
                members,
                BATCH,
                (row, member) -> {
                    row.setString(1, placement.jobId().value());
                    row.setInt(2, placement.generation());
                    row.setString(3, member.node().value());
                    row.setString(4, placement.tenant().value());
                    row.setInt(5, member.gpus().size());
                    row.setBoolean(6, member.until() == null);
                });
    }

    /** The jobs that hold GPUs on these nodes, with the GPUs they hold there. */
    List<TouchedJob> jobsOn(List<NodeId> nodes, boolean live) {
        return jdbc.sql("""
                        select s.job_id, s.tenant, max(s.generation) as generation, sum(s.gpus) as gpus,
                               coalesce(max(v.attempt), 0) as attempt
                        from job_seat s left join job_view v on v.job_id = s.job_id
                        where s.held and s.node_id in (:nodes)
                        group by s.job_id, s.tenant order by s.job_id""")
                .param("nodes", nodes.stream().map(NodeId::value).toList())
                .query((row, n) -> new TouchedJob(
                        JobId.of(row.getString("job_id")),
                        new TenantId(row.getString("tenant")),
                        row.getInt("gpus"),
                        row.getInt("attempt"),
                        row.getInt("generation"),
                        live))
                .list();
    }

    /** Where a job is placed now, with the GPUs that it holds. */
    Seats of(JobId job) {
        List<NodeId> nodes = jdbc
                .sql("select node_id from job_seat where job_id = ? and held order by node_id")
                .param(job.value())
                .query(String.class)
                .list()
                .stream()
                .map(NodeId::new)
                .toList();
        return jdbc.sql("""
                        select coalesce(sum(gpus), 0) as gpus, coalesce(max(generation), 0) as generation
                        from job_seat where job_id = ? and held""")
                .param(job.value())
                .query((row, n) -> new Seats(nodes, row.getInt("gpus"), row.getInt("generation")))
                .single();
    }

    /** A job's nodes and GPUs, and the generation of its placement; 0: none. */
    record Seats(List<NodeId> nodes, int gpus, int generation) {
        Seats {
            nodes = List.copyOf(nodes);
        }
    }
}

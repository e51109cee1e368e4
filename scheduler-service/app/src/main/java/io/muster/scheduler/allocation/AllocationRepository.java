package io.muster.scheduler.allocation;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The allocations as tables. Written only inside the transaction that holds the lease row, so positions rise in commit
 * order and a reader by position misses nothing.
 */
@Repository
public class AllocationRepository {

    private static final String ROWS = """
            SELECT a.job_id, a.generation, a.epoch, a.tenant, a.project, a.queue, a.reached_level, a.reached_domain,
                   a.placed_at, a.ended_at, a.position, m.node_rank, m.node, m.gpus, m.since, m.until
            FROM allocation a JOIN allocation_member m USING (job_id, generation)
            """;

    private final JdbcClient jdbc;

    AllocationRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Every allocation of which something is still held, by job. */
    public List<PlacementState> live() {
        return read(ROWS + " WHERE a.ended_at IS NULL ORDER BY a.job_id, m.node_rank", Map.of()).stream()
                .map(SequencedPlacement::placement)
                .toList();
    }

    /** The newest generation of every job that has not ended and has been placed before. */
    public Map<JobId, Integer> newestGenerations() {
        Map<JobId, Integer> newest = new TreeMap<>();
        jdbc.sql("""
                SELECT a.job_id, max(a.generation) AS generation
                FROM allocation a JOIN job_projection p USING (job_id)
                WHERE NOT p.ended GROUP BY a.job_id""").query(row -> {
            newest.put(JobId.of(row.getString("job_id")), row.getInt("generation"));
        });
        return newest;
    }

    /** Allocations changed after this position, oldest change first. */
    @Transactional(readOnly = true)
    public List<SequencedPlacement> changedAfter(long position, int limit) {
        return read(
                """
                WITH page AS (SELECT job_id, generation FROM allocation
                              WHERE position > :after ORDER BY position LIMIT :limit)
                """ + ROWS + " JOIN page USING (job_id, generation) ORDER BY a.position, m.node_rank",
                Map.of("after", position, "limit", limit));
    }

    /** The position of the newest change; 0 before the first. */
    public long newestPosition() {
        return jdbc.sql("SELECT COALESCE(max(position), 0) FROM allocation")
                .query(Long.class)
                .single();
    }

    @Transactional(propagation = Propagation.MANDATORY)
    long insert(PlacementState state) {
        long position = nextPosition();
        jdbc.sql("""
                INSERT INTO allocation (job_id, generation, epoch, tenant, project, queue, reached_level,
                    reached_domain, placed_at, position)
                VALUES (:job, :generation, :epoch, :tenant, :project, :queue, :level, :domain, :at, :position)""")
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("epoch", state.epoch())
                .param("tenant", state.tenant().value())
                .param("project", state.project().value())
                .param("queue", state.queue().value())
                .param("level", state.reachedLevel().name())
                .param("domain", state.reachedDomain())
                .param("at", sql(state.placedAt()))
                .param("position", position)
                .update();
        state.members().forEach(member -> insert(state, member));
        return position;
    }

    private void insert(PlacementState state, PlacedMember member) {
        Integer[] gpus = member.gpus().toArray(Integer[]::new);
        jdbc.sql("""
                INSERT INTO allocation_member (job_id, generation, node_rank, node, gpus, since)
                VALUES (:job, :generation, :rank, :node, CAST(:gpus AS integer[]), :since)""")
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("rank", member.nodeRank())
                .param("node", member.node().value())
                .param("gpus", gpus)
                .param("since", sql(member.since()))
                .update();
        jdbc.sql("""
                INSERT INTO held_gpu (node, gpu, job_id, generation)
                SELECT :node, gpu, :job, :generation FROM unnest(CAST(:gpus AS integer[])) AS gpu""")
                .param("node", member.node().value())
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("gpus", gpus)
                .update();
    }

    @Transactional(propagation = Propagation.MANDATORY)
    long free(PlacementState state, Set<NodeId> nodes, Instant moment) {
        long position = nextPosition();
        jdbc.sql("""
                UPDATE allocation SET ended_at = :ended, position = :position
                WHERE job_id = :job AND generation = :generation""")
                .param("ended", sql(state.endedAt()))
                .param("position", position)
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .update();
        String[] names = nodes.stream().map(NodeId::value).toArray(String[]::new);
        jdbc.sql("""
                UPDATE allocation_member SET until = :moment
                WHERE job_id = :job AND generation = :generation AND until IS NULL
                  AND node = ANY (CAST(:nodes AS text[]))""")
                .param("moment", sql(moment))
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("nodes", names)
                .update();
        jdbc.sql("""
                DELETE FROM held_gpu
                WHERE job_id = :job AND generation = :generation AND node = ANY (CAST(:nodes AS text[]))""")
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("nodes", names)
                .update();
        return position;
    }

    private long nextPosition() {
        return jdbc.sql("SELECT nextval('placement_position')")
                .query(Long.class)
                .single();
    }

    private List<SequencedPlacement> read(String sql, Map<String, ?> parameters) {
        SequencedMap<String, List<MemberRow>> rows = new LinkedHashMap<>();
        jdbc.sql(sql).params(parameters).query(row -> {
            MemberRow member = memberRow(row);
            rows.computeIfAbsent(member.key(), _ -> new ArrayList<>()).add(member);
        });
        return rows.values().stream().map(AllocationRepository::assemble).toList();
    }

    private static SequencedPlacement assemble(List<MemberRow> rows) {
        MemberRow first = rows.getFirst();
        PlacementState head = first.head();
        List<PlacedMember> members = rows.stream().map(MemberRow::member).toList();
        return new SequencedPlacement(
                first.position(),
                new PlacementState(
                        head.jobId(),
                        head.tenant(),
                        head.project(),
                        head.queue(),
                        head.generation(),
                        head.epoch(),
                        members,
                        head.reachedLevel(),
                        head.reachedDomain(),
                        head.placedAt(),
                        head.endedAt(), List.of(), null));
    }

    /** One row of the join: the allocation, without its members, and one member. */
    private record MemberRow(long position, PlacementState head, PlacedMember member) {

        String key() {
            return head.jobId().value() + "/" + head.generation();
        }
    }

    private static MemberRow memberRow(ResultSet row) throws SQLException {
        var head = new PlacementState(
                JobId.of(row.getString("job_id")),
                TenantId.of(row.getString("tenant")),
                ProjectId.of(row.getString("project")),
                QueuePath.of(row.getString("queue")),
                row.getInt("generation"),
                row.getLong("epoch"),
                List.of(),
                DomainType.valueOf(row.getString("reached_level")),
                row.getString("reached_domain"),
                instant(row, "placed_at"),
                instantOrNull(row, "ended_at"), List.of(), null);
        var member = new PlacedMember(
                row.getInt("node_rank"),
                NodeId.of(row.getString("node")),
                List.of((Integer[]) row.getArray("gpus").getArray()),
                instant(row, "since"),
                instantOrNull(row, "until"));
        return new MemberRow(row.getLong("position"), head, member);
    }

    private static @Nullable OffsetDateTime sql(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }
}

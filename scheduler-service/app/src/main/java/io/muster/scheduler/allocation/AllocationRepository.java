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
import java.util.Collection;
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
                   a.placed_at, a.ended_at, a.repaired_by, a.position, m.node_rank, m.node, m.gpus, m.since, m.until,
                   m.lost
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
        long position = insertHead(state);
        state.members().forEach(member -> {
            insert(state, member);
            hold(state, member);
        });
        return position;
    }

    /**
     * The next generation of a repaired gang. The rows of held GPUs of the members that stay change hands, so at no
     * moment is one of these GPUs free to anybody; the replacements' are added.
     */
    @Transactional(propagation = Propagation.MANDATORY)
    long takeOver(PlacementState next, int from, Set<NodeId> staying) {
        long position = insertHead(next);
        int moved = jdbc.sql("""
                UPDATE held_gpu SET generation = :generation WHERE job_id = :job AND generation = :from""")
                .param("generation", next.generation())
                .param("job", next.jobId().value())
                .param("from", from)
                .update();
        int kept = 0;
        for (PlacedMember member : next.members()) {
            insert(next, member);
            if (staying.contains(member.node())) {
                kept += member.gpus().size();
            } else {
                hold(next, member);
            }
        }
        if (moved != kept) {
            throw new IllegalStateException("generation " + from + " of job " + next.jobId() + " held " + moved
                    + " GPUs, generation " + next.generation() + " takes over " + kept);
        }
        return position;
    }

    private long insertHead(PlacementState state) {
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
        return position;
    }

    private void insert(PlacementState state, PlacedMember member) {
        jdbc.sql("""
                INSERT INTO allocation_member (job_id, generation, node_rank, node, gpus, since)
                VALUES (:job, :generation, :rank, :node, CAST(:gpus AS integer[]), :since)""")
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("rank", member.nodeRank())
                .param("node", member.node().value())
                .param("gpus", member.gpus().toArray(Integer[]::new))
                .param("since", sql(member.since()))
                .update();
    }

    private void hold(PlacementState state, PlacedMember member) {
        jdbc.sql("""
                INSERT INTO held_gpu (node, gpu, job_id, generation)
                SELECT :node, gpu, :job, :generation FROM unnest(CAST(:gpus AS integer[])) AS gpu""")
                .param("node", member.node().value())
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("gpus", member.gpus().toArray(Integer[]::new))
                .update();
    }

    /** What {@code state} lists as lost is marked so; the other nodes were given back. */
    @Transactional(propagation = Propagation.MANDATORY)
    long free(PlacementState state, Set<NodeId> nodes, Instant moment) {
        long position = update(state);
        end(state, nodes, moment);
        jdbc.sql("""
                DELETE FROM held_gpu
                WHERE job_id = :job AND generation = :generation AND node = ANY (CAST(:nodes AS text[]))""")
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("nodes", names(nodes))
                .update();
        return position;
    }

    /** The members that stay leave this generation; their held GPUs wait for {@link #takeOver} in the same transaction. */
    @Transactional(propagation = Propagation.MANDATORY)
    long endByRepair(PlacementState state, Set<NodeId> staying, Instant moment) {
        long position = update(state);
        end(state, staying, moment);
        return position;
    }

    private long update(PlacementState state) {
        long position = nextPosition();
        jdbc.sql("""
                UPDATE allocation SET ended_at = :ended, repaired_by = CAST(:repairedBy AS integer), position = :position
                WHERE job_id = :job AND generation = :generation""")
                .param("ended", sql(state.endedAt()))
                .param("repairedBy", state.repairedBy())
                .param("position", position)
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .update();
        return position;
    }

    private void end(PlacementState state, Set<NodeId> nodes, Instant moment) {
        jdbc.sql("""
                UPDATE allocation_member SET until = :moment, lost = node = ANY (CAST(:lost AS text[]))
                WHERE job_id = :job AND generation = :generation AND until IS NULL
                  AND node = ANY (CAST(:nodes AS text[]))""")
                .param("moment", sql(moment))
                .param("lost", names(state.lost()))
                .param("job", state.jobId().value())
                .param("generation", state.generation())
                .param("nodes", names(nodes))
                .update();
    }

    private static String[] names(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).toArray(String[]::new);
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
        List<NodeId> lost = rows.stream()
                .filter(row -> row.lost() && head.repairedBy() == null)
                .map(row -> row.member().node())
                .toList();
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
                        head.endedAt(),
                        lost,
                        head.repairedBy()));
    }

    /** One row of the join: the allocation, without its members, and one member. */
    private record MemberRow(long position, PlacementState head, PlacedMember member, boolean lost) {

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
                instantOrNull(row, "ended_at"),
                List.of(),
                row.getObject("repaired_by", Integer.class));
        var member = new PlacedMember(
                row.getInt("node_rank"),
                NodeId.of(row.getString("node")),
                List.of((Integer[]) row.getArray("gpus").getArray()),
                instant(row, "since"),
                instantOrNull(row, "until"));
        return new MemberRow(row.getLong("position"), head, member, row.getBoolean("lost"));
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

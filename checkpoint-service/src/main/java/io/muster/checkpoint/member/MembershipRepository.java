package io.muster.checkpoint.member;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The members of jobs by generation. */
@Repository
class MembershipRepository {

    private static final int BATCH = 500;

    private final JdbcClient jdbc;
    private final JdbcOperations batches;

    MembershipRepository(JdbcClient jdbc, JdbcOperations batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    /** The state is whole for its generation; a late one of an earlier generation does not lower the newest. */
    void replace(PlacementState state) {
        jdbc.sql("""
                        insert into job_placement (job_id, newest_generation) values (?, ?)
                        on conflict (job_id) do update
                        set newest_generation = greatest(job_placement.newest_generation, excluded.newest_generation)""").params(state.jobId().value(), state.generation()).update();
        jdbc.sql("delete from job_member where job_id = ? and generation = ?")
                .params(state.jobId().value(), state.generation())
                .update();
        batches.batchUpdate(
                "insert into job_member (job_id, generation, node, released, node_rank) values (?, ?, ?, ?, ?)",
                state.members(),
                BATCH,
                (row, member) -> write(row, state, member));
    }

    private static void write(PreparedStatement row, PlacementState state, PlacedMember member) throws SQLException {
        row.setString(1, state.jobId().value());
        row.setInt(2, state.generation());
        row.setString(3, member.node().value());
        row.setBoolean(4, member.until() != null);
        row.setInt(5, member.nodeRank());
    }

    Optional<Integer> newestGeneration(JobId job) {
        return jdbc.sql("select newest_generation from job_placement where job_id = ?")
                .param(job.value())
                .query(Integer.class)
                .optional();
    }

    /** In the newest placement, and in earlier ones in which the node still holds GPUs; the newest first. */
    List<Seat> seats(JobId job, NodeId node, int newestGeneration) {
        return jdbc.sql("""
                        select m.generation, m.node_rank,
                               (select count(*) from job_member g
                                where g.job_id = m.job_id and g.generation = m.generation) as members
                        from job_member m
                        where m.job_id = ? and m.node = ? and (m.generation = ? or not m.released)
                        order by m.generation desc""")
                .params(job.value(), node.value(), newestGeneration)
                .query((row, number) ->
                        new Seat(row.getInt("generation"), row.getInt("node_rank"), row.getInt("members")))
                .list();
    }
}

package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Revisions of what each node shall do, and which attempts that is about. */
@Repository
class DesiredStore {

    record Asked(JobId job, int attempt, int generation, boolean newest) {}

    private final JdbcClient jdbc;

    DesiredStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * In the transaction that changes the assignments or asks for evidence. The nodes come sorted, so that two jobs on the
     * same nodes never wait for each other in a circle. Answers the new revisions.
     */
    Map<NodeId, Long> raise(List<NodeId> sortedNodes) {
        Map<NodeId, Long> revisions = new TreeMap<>();
        for (NodeId node : sortedNodes) {
            long revision =
                    jdbc.sql("""
                    insert into node_desired (node_id, revision) values (:node, 1)
                    on conflict (node_id) do update set revision = node_desired.revision + 1 returning revision""").param("node", node.value()).query(Long.class).single();
            revisions.put(node, revision);
        }
        return revisions;
    }

    long revision(NodeId node) {
        return jdbc.sql("select revision from node_desired where node_id = :node")
                .param("node", node.value())
                .query(Long.class)
                .optional()
                .orElse(0L);
    }

    List<Asked> asked(NodeId node) {
        return jdbc.sql("""
                select m.job_id, m.attempt, a.generation, m.attempt = j.attempt as newest
                from member m
                join attempt a on a.job_id = m.job_id and a.number = m.attempt
                join job j on j.job_id = m.job_id
                where m.node_id = :node and not m.gone and a.stage <> 'AWAITING_RESTORE'
                order by m.job_id, m.attempt""")
                .param("node", node.value())
                .query((row, n) ->
                        new Asked(new JobId(row.getString(1)), row.getInt(2), row.getInt(3), row.getBoolean(4)))
                .list();
    }

    /**
     * Jobs that keep this node: with a live attempt on it, or between two attempts for the next one. All of them are locked
     * in the order of their ids: whoever changes several jobs in one transaction holds them all before it raises a revision
     * that a report's transaction may wait for.
     */
    List<JobId> lockKeeping(NodeId node) {
        return jdbc.sql("""
                select job_id from job where job_id in (
                    select m.job_id from member m
                    join job j on j.job_id = m.job_id and j.attempt = m.attempt
                    join attempt a on a.job_id = m.job_id and a.number = m.attempt
                    where m.node_id = :node and not m.gone and a.stage <> 'ENDED'
                    union
                    select job_id from job where phase = 'RECOVERING' and gang is not null
                      and cast(gang as jsonb) -> 'seats' @> jsonb_build_array(jsonb_build_object('node', cast(:node as text))))
                order by job_id for update""")
                .param("node", node.value())
                .query((row, n) -> new JobId(row.getString(1)))
                .list();
    }

    /** Live jobs that do not use this node now; locked as above. */
    List<JobId> lockShunning(NodeId node) {
        return jdbc.sql("""
                select job_id from job
                where shunned <> '[]' and ended_at is null
                  and cast(shunned as jsonb) @> jsonb_build_array(jsonb_build_object('node', cast(:node as text)))
                order by job_id for update""")
                .param("node", node.value())
                .query((row, n) -> new JobId(row.getString(1)))
                .list();
    }

    /** Jobs whose live attempt has asked this node with a revision that it has taken in, in the order of their ids. */
    List<JobId> asking(NodeId node, long acknowledgedRevision) {
        return jdbc.sql("""
                select m.job_id from member m join job j on j.job_id = m.job_id and j.attempt = m.attempt
                where m.node_id = :node and m.asked_revision <= :acknowledged and not m.heard and j.ended_at is null
                order by m.job_id""")
                .param("node", node.value())
                .param("acknowledged", acknowledgedRevision)
                .query((row, n) -> new JobId(row.getString(1)))
                .list();
    }

    /** A lost node of an earlier attempt has come back and confirmed that nothing is left of it. */
    boolean confirmGone(NodeId node, JobId job, int attempt) {
        return jdbc.sql("""
                update member set gone = true, phase = 'GONE'
                where job_id = :job and attempt = :attempt and node_id = :node and not gone
                  and attempt < (select attempt from job where job_id = :job)""")
                        .param("job", job.value())
                        .param("attempt", attempt)
                        .param("node", node.value())
                        .update()
                > 0;
    }
}

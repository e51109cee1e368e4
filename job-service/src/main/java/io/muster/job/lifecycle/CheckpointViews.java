package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.id.JobId;
import io.muster.edge.stream.ChangeMarks;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The newest commit of each job that has been heard of: for showing, and never for choosing what to restore. */
@Repository
class CheckpointViews {

    private final JdbcClient jdbc;
    private final ChangeMarks changes;
    private final StoredJson json = new StoredJson();

    CheckpointViews(JdbcClient jdbc, ChangeMarks changes) {
        this.jdbc = jdbc;
        this.changes = changes;
    }

    void put(CheckpointState state) {
        jdbc.sql("""
                insert into checkpoint_view (job_id, state) values (:job, :state)
                on conflict (job_id) do update set state = excluded.state""")
                .param("job", state.jobId().value())
                .param("state", json.write(state))
                .update();
        changes.mark(JobFeeds.SHOWN, state.jobId().value());
    }

    Optional<CheckpointState> find(JobId job) {
        return jdbc.sql("select state from checkpoint_view where job_id = :job")
                .param("job", job.value())
                .query((row, n) -> json.readPresent(row.getString(1), CheckpointState.class))
                .optional();
    }
}

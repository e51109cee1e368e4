package io.muster.scheduler.intake;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeState;
import io.muster.contract.quota.QuotaTree;
import io.muster.scheduler.translation.JobRecords;
import io.muster.scheduler.translation.NodeRecords;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** {@link ProjectionRepository} without SQL: a row's place in the order of writes is its {@code changed_in}. */
public final class RememberedProjections extends ProjectionRepository {

    private record Row<T>(T state, long sequence, long changedIn) {}

    private final Table<JobId, Row<JobState>> jobs;
    private final Table<NodeId, Row<NodeState>> nodes;
    private final Predicate<JobId> holds;
    private @Nullable QuotaTree tree;
    private long changes = 1;

    /** @param holds whether the job has an allocation that has not ended */
    @SuppressWarnings("NullAway")
    public RememberedProjections(Database database, Predicate<JobId> holds) {
        super((JdbcClient) null, new JsonMapper());
        this.jobs = new Table<>(database);
        this.nodes = new Table<>(database);
        this.holds = holds;
    }

    /** As the subscription does it: a state that the core cannot express is refused. */
    public void take(JobState state, long sequence) {
        Objects.requireNonNull(JobRecords.of(state));
        save(state, sequence);
    }

    public void take(NodeState state, long sequence) {
        Objects.requireNonNull(NodeRecords.of(state));
        save(state, sequence);
    }

    @Override
    void save(JobState job, long sequence) {
        Row<JobState> known = jobs.get(job.jobId());
        if (known == null || known.sequence < sequence) {
            jobs.put(job.jobId(), new Row<>(job, sequence, changes++));
        }
    }

    @Override
    void save(NodeState node, long sequence) {
        Row<NodeState> known = nodes.get(node.node());
        if (known == null || known.sequence < sequence) {
            nodes.put(node.node(), new Row<>(node, sequence, changes++));
        }
    }

    public void begin(QuotaTree quotas) {
        tree = quotas;
    }

    @Override
    public Changes changedSince(String horizon) {
        long from = Long.parseLong(horizon);
        boolean all = horizon.equals(FROM_THE_BEGINNING);
        List<Sequenced<JobState>> changedJobs = new ArrayList<>();
        for (Row<JobState> row : jobs.rows().values()) {
            boolean open = !row.state.phase().ended() || holds.test(row.state.jobId());
            if (all ? open : row.changedIn >= from) {
                changedJobs.add(new Sequenced<>(row.state, row.sequence));
            }
        }
        List<Sequenced<NodeState>> changedNodes = new ArrayList<>();
        for (Row<NodeState> row : nodes.rows().values()) {
            if (row.changedIn >= from) {
                changedNodes.add(new Sequenced<>(row.state, row.sequence));
            }
        }
        Optional<Sequenced<QuotaTree>> quotas =
                all && tree != null ? Optional.of(new Sequenced<>(tree, 1)) : Optional.empty();
        return new Changes(changedJobs, changedNodes, quotas, Long.toString(changes));
    }

    public @Nullable NodeState node(NodeId node) {
        Row<NodeState> row = nodes.get(node);
        return row == null ? null : row.state;
    }

    public Optional<JobState> job(JobId job) {
        return jobs.find(job).map(Row::state);
    }
}

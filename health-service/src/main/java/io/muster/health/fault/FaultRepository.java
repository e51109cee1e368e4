package io.muster.health.fault;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.edge.stream.Change;
import io.muster.health.node.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Faults in the database. All who write faults hold one lock until their transaction ends, because a fault of a node and
 * one of a job on it refer to each other from both sides; faults are few. A writer that others wait for does not wait
 * itself but leaves its work to {@link FaultBacklog}.
 */
@Repository
class FaultRepository {

    private static final String LOCK = "hashtextextended('faults', 0)";

    private static final int ATTEMPTS = 6;
    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final int BATCH = 500;

    private final JdbcClient jdbc;
    private final JdbcOperations batches;
    private final JsonMapper json;

    FaultRepository(JdbcClient jdbc, JdbcOperations batches, JsonMapper json) {
        this.jdbc = jdbc;
        this.batches = batches;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    /** For those who may wait: consumers of events, and the backlog. */
    void lock() {
        jdbc.sql("select pg_advisory_xact_lock(" + LOCK + ")").query(row -> {});
    }

    /** For those whom others wait for; false if another writer has the lock for longer than the change of one hold takes. */
    boolean lockNow() {
        for (int attempt = 1; ; attempt++) {
            boolean got = jdbc.sql("select pg_try_advisory_xact_lock(" + LOCK + ")")
                    .query(Boolean.class)
                    .single();
            if (got || attempt == ATTEMPTS) {
                return got;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    Optional<Fault> find(String faultId) {
        return jdbc.sql("select story from fault where fault_id = ?")
                .param(faultId)
                .query(String.class)
                .optional()
                .map(this::read);
    }

    Optional<Fault> ofHold(String holdId) {
        return jdbc.sql("select story from fault where hold_id = ?")
                .param(holdId)
                .query(String.class)
                .optional()
                .map(this::read);
    }

    List<Fault> openAbout(String domain) {
        return read(jdbc.sql("select story from fault where domain = ? and status = 'OPEN' order by fault_id")
                .param(domain)
                .query(String.class)
                .list());
    }

    /** Whether it was ever a fault, open or over. */
    boolean knownAbout(String domain) {
        return jdbc.sql("select exists (select 1 from fault where domain = ?)")
                .param(domain)
                .query(Boolean.class)
                .single();
    }

    /** Faults that the job has not recovered from, oldest first. */
    List<Fault> liveOf(JobId job) {
        return read(jdbc.sql("""
                        select f.story from fault f join fault_job j on j.fault_id = f.fault_id
                        where j.job_id = ? and j.live order by f.fault_id""").param(job.value()).query(String.class).list());
    }

    /** Open faults of these nodes, oldest first. */
    List<Fault> openOn(List<NodeId> nodes) {
        return read(jdbc.sql("""
                        select f.story from fault f
                        where f.status = 'OPEN' and exists (
                            select 1 from fault_node n where n.fault_id = f.fault_id and n.node_id in (:nodes))
                        order by f.fault_id""")
                .param("nodes", nodes.stream().map(NodeId::value).toList())
                .query(String.class)
                .list());
    }

    List<Fault> untoldSince(Instant before) {
        return read(jdbc.sql("select story from fault where untold and told_at < ? order by fault_id limit 100")
                .param(Timestamps.of(before))
                .query(String.class)
                .list());
    }

    /** Open holds of these causes without a fault, and faults whose hold is gone, by the node that knows the hold. */
    List<NodeId> nodesWithoutTheirStory(List<String> causes) {
        return jdbc.sql("""
                        select distinct h.node_id from hold h left join fault f on f.hold_id = h.hold_id
                        where h.closed_at is null and h.cause in (:causes) and f.fault_id is null
                        order by h.node_id limit 100""").param("causes", causes).query(String.class).list().stream()
                .map(NodeId::new)
                .toList();
    }

    List<Fault> openWithoutTheirHold() {
        return read(jdbc.sql("""
                        select story from fault
                        where status = 'OPEN' and hold_id is not null and not exists (
                            select 1 from hold h where h.hold_id = fault.hold_id and h.closed_at is null)
                        order by fault_id limit 100""").query(String.class).list());
    }

    boolean holdIsOpen(String holdId) {
        return jdbc.sql("select exists (select 1 from hold where hold_id = ? and closed_at is null)")
                .param(holdId)
                .query(Boolean.class)
                .single();
    }

    void save(Fault fault, boolean told, Instant now) {
        jdbc.sql("""
                        insert into fault (fault_id, layer, code, domain, status, hold_id, detected_at, resolved_at, told_at,
                            untold, story)
                        values (:fault, :layer, :code, :domain, :status, :hold, :detected, :resolved, :now,
                            :untold, :story::jsonb)
                        on conflict (fault_id) do update set status = excluded.status, resolved_at = excluded.resolved_at,
                            told_at = case when excluded.untold then fault.told_at else excluded.told_at end,
                            untold = excluded.untold, story = excluded.story""")
                .param("fault", fault.faultId())
                .param("layer", fault.layer().name())
                .param("code", fault.code())
                .param("domain", fault.domain())
                .param("status", fault.status().name())
                .param("hold", fault.holdId())
                .param("detected", Timestamps.of(fault.detectedAt()))
                .param("resolved", Timestamps.orNull(fault.resolvedAt()))
                .param("now", Timestamps.of(now))
                .param("untold", !told)
                .param("story", json.writeValueAsString(fault))
                .update();
        batches.batchUpdate(
                "insert into fault_node (fault_id, node_id) values (?, ?) on conflict do nothing",
                fault.nodes(),
                BATCH,
                (row, node) -> {
                    row.setString(1, fault.faultId());
                    row.setString(2, node.value());
                });
        batches.batchUpdate("""
                        insert into fault_job (fault_id, job_id, tenant, live) values (?, ?, ?, ?)
                        on conflict (fault_id, job_id) do update set live = excluded.live""", fault.jobs(), BATCH, (row, job) -> {
            row.setString(1, fault.faultId());
            row.setString(2, job.job().value());
            row.setString(3, job.tenant().value());
            row.setBoolean(4, job.live());
        });
        batches.batchUpdate("""
                        insert into fault_phase (fault_id, job_id, phase, layer, at, seconds) values (?, ?, ?, ?, ?, ?)
                        on conflict do nothing""", fault.phases(), BATCH, (row, passed) -> {
            row.setString(1, fault.faultId());
            row.setString(2, passed.job() == null ? "" : passed.job().value());
            row.setString(3, passed.phase().name());
            row.setString(4, fault.layer().name());
            row.setObject(5, Timestamps.of(passed.at()));
            row.setDouble(6, passed.seconds());
        });
    }

    long nextSequence(String eventKey) {
        return jdbc.sql("""
                        insert into fault_sequence as known (event_key, sequence) values (?, 1)
                        on conflict (event_key) do update set sequence = known.sequence + 1
                        returning sequence""").param(eventKey).query(Long.class).single();
    }

    /**
     * Resolved ones live as long as the topic keeps them; those of corrupt checkpoints, which are few, for ever: every later
     * event of their job names the checkpoint again, and what is not known of would be told as new.
     */
    int forgetResolvedBefore(Instant time) {
        int forgotten = jdbc.sql(
                        "delete from fault where status = 'RESOLVED' and resolved_at < ? and layer <> 'CHECKPOINT'")
                .param(Timestamps.of(time))
                .update();
        if (forgotten > 0) {
            jdbc.sql("""
                        delete from change c where c.feed = ?
                        and not exists (select 1 from fault f where f.fault_id = c.key)""").param(FaultFeed.NAME).update();
        }
        return forgotten;
    }

    /** As they are now; those that are forgotten are passed over. */
    List<Change<Fault>> changed(long after, int most) {
        return jdbc.sql("""
                        select c.number, c.key, f.story from change c join fault f on f.fault_id = c.key
                        where c.feed = ? and c.number > ? order by c.number limit ?""")
                .params(FaultFeed.NAME, after, most)
                .query((row, n) ->
                        new Change<>(row.getLong("number"), row.getString("key"), read(row.getString("story"))))
                .list();
    }

    Fault read(String story) {
        return json.readValue(story, Fault.class);
    }

    private List<Fault> read(List<String> stories) {
        return stories.stream().map(this::read).toList();
    }
}

package io.muster.health.preflight;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.node.ProbeOrder;
import io.muster.health.node.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Preflights, their reports and the probes of arbiters. */
@Repository
class PreflightRepository {

    /** One attempt of a job. */
    record Key(JobId job, int attempt) {}

    /** A preflight that waits for its ruling. */
    record Undecided(Key key, Instant judgedFrom) {}

    /** One order to an arbiter and its answer, null while it is awaited. */
    record Probe(
            ProbeOrder order,
            NodeId arbiter,
            Instant orderedAt,
            @Nullable Boolean reached) {}

    private final JdbcClient jdbc;
    private final JsonMapper json;

    PreflightRepository(JdbcClient jdbc, JsonMapper json) {
        this.jdbc = jdbc;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    /** Two members report at once: the row is made by one of them, and both wait for it to be there. */
    void ensure(Key key, Instant now) {
        jdbc.sql("""
                        insert into preflight (job_id, attempt, created_at) values (:job, :attempt, :now)
                        on conflict do nothing""")
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .param("now", Timestamps.of(now))
                .update();
    }

    /** There is something to judge from now on, if not already. */
    void judgeFrom(Key key, Instant now) {
        jdbc.sql("""
                        update preflight set judged_from = :now
                        where job_id = :job and attempt = :attempt and judged_from is null""")
                .param("now", Timestamps.of(now))
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .update();
    }

    /** The first report of a member counts; one that is sent again changes nothing. */
    boolean add(Key key, NodeId node, PreflightReport report, Instant now) {
        return jdbc.sql("""
                        insert into preflight_report (job_id, attempt, node_id, report, received_at)
                        values (:job, :attempt, :node, :report::jsonb, :now) on conflict do nothing""")
                        .param("job", key.job().value())
                        .param("attempt", key.attempt())
                        .param("node", node.value())
                        .param("report", json.writeValueAsString(report))
                        .param("now", Timestamps.of(now))
                        .update()
                == 1;
    }

    Map<NodeId, PreflightReport> reports(Key key) {
        Map<NodeId, PreflightReport> reports = new TreeMap<>();
        jdbc.sql("select node_id, report from preflight_report where job_id = :job and attempt = :attempt")
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .query((row, n) -> reports.put(
                        new NodeId(row.getString("node_id")),
                        json.readValue(row.getString("report"), PreflightReport.class)))
                .list();
        return reports;
    }

    List<Undecided> undecided() {
        return jdbc.sql("""
                        select job_id, attempt, judged_from from preflight
                        where decided_at is null and judged_from is not null order by judged_from""")
                .query((row, n) -> new Undecided(key(row), Timestamps.read(row, "judged_from")))
                .list();
    }

    Optional<PreflightVerdict> verdict(Key key) {
        return jdbc.sql("""
                        select decided_at, blamed, message from preflight where job_id = :job and attempt = :attempt""")
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .query((row, n) -> new PreflightVerdict(
                        row.getObject("decided_at") != null,
                        Arrays.asList(json.readValue(row.getString("blamed"), NodeId[].class)),
                        row.getString("message")))
                .optional();
    }

    /** False if it had been decided before. */
    boolean decide(Key key, List<NodeId> blamed, String message, Instant now) {
        return jdbc.sql("""
                        update preflight set decided_at = :now, blamed = :blamed::jsonb, message = :message
                        where job_id = :job and attempt = :attempt and decided_at is null""")
                        .param("now", Timestamps.of(now))
                        .param("blamed", json.writeValueAsString(blamed))
                        .param("message", message)
                        .param("job", key.job().value())
                        .param("attempt", key.attempt())
                        .update()
                == 1;
    }

    void explain(Key key, String message) {
        jdbc.sql("""
                        update preflight set message = :message
                        where job_id = :job and attempt = :attempt and decided_at is null and message <> :message""")
                .param("message", message)
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .update();
    }

    void order(Key key, NodeId arbiter, ProbeOrder order, Instant now) {
        jdbc.sql("""
                        insert into probe (probe_id, job_id, attempt, arbiter, target, address, port, ordered_at)
                        values (:probe, :job, :attempt, :arbiter, :target, :address, :port, :now)""")
                .param("probe", order.probeId())
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .param("arbiter", arbiter.value())
                .param("target", order.target().value())
                .param("address", order.address())
                .param("port", order.port())
                .param("now", Timestamps.of(now))
                .update();
    }

    /** Only the arbiter itself answers, and only once. */
    boolean answered(NodeId arbiter, String probeId, boolean reached, String message) {
        return jdbc.sql("""
                        update probe set reached = :reached, message = :message
                        where probe_id = :probe and arbiter = :arbiter and reached is null""")
                        .param("reached", reached)
                        .param("message", message)
                        .param("probe", probeId)
                        .param("arbiter", arbiter.value())
                        .update()
                > 0;
    }

    List<Probe> probes(Key key) {
        return jdbc.sql("select * from probe where job_id = :job and attempt = :attempt order by target")
                .param("job", key.job().value())
                .param("attempt", key.attempt())
                .query((row, n) -> probe(row))
                .list();
    }

    /** Preflights end within minutes; a day is for people who look. */
    int forgetOlderThan(Instant time) {
        return jdbc.sql("delete from preflight where created_at < :time")
                .param("time", Timestamps.of(time))
                .update();
    }

    private static Key key(ResultSet row) throws SQLException {
        return new Key(JobId.of(row.getString("job_id")), row.getInt("attempt"));
    }

    private static Probe probe(ResultSet row) throws SQLException {
        return new Probe(
                new ProbeOrder(
                        row.getString("probe_id"),
                        new NodeId(row.getString("target")),
                        row.getString("address"),
                        row.getInt("port")),
                new NodeId(row.getString("arbiter")),
                Timestamps.read(row, "ordered_at"),
                row.getObject("reached", Boolean.class));
    }
}

package io.muster.health.check;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.health.node.Timestamps;
import java.time.Clock;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class CheckResultRepository {

    private static final int LONGEST_MESSAGE = 1000;

    private final JdbcClient jdbc;
    private final Clock clock;

    CheckResultRepository(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /** A result of a later session, or a later one of the same, replaces the earlier; a late one changes nothing. */
    void put(NodeId node, long session, List<CheckResult> results) {
        for (CheckResult result : results) {
            String message = result.message();
            jdbc.sql("""
                            insert into check_result as known (node_id, check_name, status, required, message, took_millis,
                                agent_time, received_at, session)
                            values (:node, :check, :status, :required, :message, :took, :at, :now, :session)
                            on conflict (node_id, check_name) do update set status = excluded.status,
                                required = excluded.required, message = excluded.message,
                                took_millis = excluded.took_millis, agent_time = excluded.agent_time,
                                received_at = excluded.received_at, session = excluded.session
                            where (known.session, known.agent_time) <= (excluded.session, excluded.agent_time)""")
                    .param("node", node.value())
                    .param("check", result.check())
                    .param("status", result.status().name())
                    .param("required", result.required())
                    .param("message", message.substring(0, Math.min(LONGEST_MESSAGE, message.length())))
                    .param("took", result.tookMillis())
                    .param("at", Timestamps.of(result.at()))
                    .param("now", Timestamps.of(clock.instant()))
                    .param("session", session)
                    .update();
        }
    }

    List<CheckResult> of(NodeId node) {
        return jdbc.sql("select * from check_result where node_id = :node order by check_name")
                .param("node", node.value())
                .query((row, n) -> new CheckResult(
                        row.getString("check_name"),
                        CheckStatus.valueOf(row.getString("status")),
                        row.getBoolean("required"),
                        row.getString("message"),
                        row.getLong("took_millis"),
                        Timestamps.read(row, "agent_time")))
                .list();
    }
}

package io.muster.job.query;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.JobPhase;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.edge.problem.ProblemException;
import io.muster.edge.stream.Change;
import io.muster.job.lifecycle.JobFeeds;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lists jobs, newest first. The order is by time of submission and id, neither of which ever changes, so a page that
 * follows another never repeats or skips a job that was there. The tenant is a condition of the query.
 */
@Repository
class JobListing {

    private static final Pattern CURSOR = Pattern.compile("(\\d{1,15}) (job_[0-9a-z]{8,40})");
    private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    JobListing(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** @param tenant null: of all tenants */
    Page<JobSummary> page(@Nullable TenantId tenant, JobFilter filter, @Nullable String pageToken) {
        List<String> conditions = new ArrayList<>();
        Map<String, Object> values = new HashMap<>();
        if (tenant != null) {
            conditions.add("tenant = :tenant");
            values.put("tenant", tenant.value());
        }
        if (!filter.states().isEmpty()) {
            conditions.add("phase in (:states)");
            values.put("states", filter.states().stream().map(JobPhase::name).toList());
        }
        if (filter.queue() != null) {
            conditions.add("queue = :queue");
            values.put("queue", filter.queue().value());
        }
        if (filter.project() != null) {
            conditions.add("project = :project");
            values.put("project", filter.project().value());
        }
        if (!filter.labels().isEmpty()) {
            conditions.add("labels @> cast(:labels as jsonb)");
            values.put("labels", json.writeValueAsString(filter.labels()));
        }
        if (pageToken != null) {
            startAfter(pageToken, conditions, values);
        }
        return page(conditions, values, filter.pageSize());
    }

    private Page<JobSummary> page(List<String> conditions, Map<String, Object> values, int size) {
        String where = conditions.isEmpty() ? "" : " where " + String.join(" and ", conditions);
        values.put("most", size + 1);
        List<JobSummary> found = jdbc.sql(
                        "select * from job" + where + " order by submitted_at desc, job_id desc limit :most")
                .params(values)
                .query((row, n) -> summary(row))
                .list();
        if (found.size() <= size) {
            return new Page<>(found, null);
        }
        JobSummary last = found.get(size - 1);
        String next = new PageToken(last.submittedAt().toEpochMilli() + " " + last.id()).encoded();
        return new Page<>(found.subList(0, size), next);
    }

    /** The jobs of all tenants whose place in lists has changed, as they are now. */
    List<Change<JobSummary>> changed(long after, int most) {
        return jdbc.sql("""
                select c.number, j.* from change c join job j on j.job_id = c.key
                where c.feed = :feed and c.number > :after order by c.number limit :most""")
                .param("feed", JobFeeds.LISTED)
                .param("after", after)
                .param("most", most)
                .query((row, n) -> {
                    JobSummary job = summary(row);
                    return new Change<>(row.getLong("number"), job.id().value(), job);
                })
                .list();
    }

    private static void startAfter(String pageToken, List<String> conditions, Map<String, Object> values) {
        Matcher cursor = CURSOR.matcher(PageToken.decode(pageToken).lastKey());
        if (!cursor.matches()) {
            throw new ProblemException(JobProblems.pageToken());
        }
        conditions.add("(submitted_at, job_id) < (:lastTime, :lastId)");
        values.put("lastTime", Timestamp.from(Instant.ofEpochMilli(Long.parseLong(cursor.group(1)))));
        values.put("lastId", cursor.group(2));
    }

    private JobSummary summary(ResultSet row) throws SQLException {
        Timestamp ended = row.getTimestamp("ended_at");
        return new JobSummary(
                new JobId(row.getString("job_id")),
                new TenantId(row.getString("tenant")),
                new ProjectId(row.getString("project")),
                new QueuePath(row.getString("queue")),
                row.getString("name"),
                JobPhase.valueOf(row.getString("phase")),
                row.getString("reason"),
                row.getString("message"),
                row.getInt("nodes"),
                row.getInt("gpus"),
                row.getInt("attempt"),
                row.getTimestamp("submitted_at").toInstant(),
                ended == null ? null : ended.toInstant(),
                json.readValue(row.getString("labels"), TEXTS));
    }
}

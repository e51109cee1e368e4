package io.muster.checkpoint.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.id.JobId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What always holds of a job, read from the database after every step of a test:
 *
 * <ul>
 *   <li>the fence never falls, and what is committed stays committed, as it was;
 *   <li>each commit has exactly the shards of ranks 0 to worldSize - 1;
 *   <li>commits are numbered 1, 2, 3 … up to the head's version, and the head names the last;
 *   <li>along the order of commits attempts never fall, and within an attempt steps rise;
 *   <li>a commit that is new is of the attempt at the fence; nothing unfinished is of an earlier one;
 *   <li>an attempt is always told the same start;
 *   <li>one event for each commit, with its number as sequence.
 * </ul>
 */
final class ProtocolInvariants {

    private final JdbcClient jdbc;
    private final JobId job;
    private final Map<Integer, RestoreDecision> decisions = new HashMap<>();
    private Map<String, Commit> commits = new LinkedHashMap<>();
    private int fence;

    private record Commit(String id, int attempt, long step, int worldSize, long order, String shards) {}

    ProtocolInvariants(JdbcClient jdbc, JobId job) {
        this.jdbc = jdbc;
        this.job = job;
    }

    void told(int attempt, RestoreDecision decision) {
        RestoreDecision before = decisions.putIfAbsent(attempt, decision);
        if (before != null) {
            assertThat(decision).as("what attempt %d is told", attempt).isEqualTo(before);
        }
    }

    int commits() {
        return commits.size();
    }

    /** @param quiet no other thread is at work, so that fence and commits were read at one moment */
    void check(boolean quiet) {
        var head = jdbc.sql("select fence, version, checkpoint_id from job_head where job_id = ?")
                .param(job.value())
                .query((row, number) ->
                        Map.entry(row.getInt(1), Map.entry(row.getLong(2), String.valueOf(row.getString(3)))))
                .optional()
                .orElse(null);
        if (head == null) {
            return;
        }
        assertThat(head.getKey()).as("fence").isGreaterThanOrEqualTo(fence);
        fence = head.getKey();
        Map<String, Commit> now = read();
        assertThat(now).as("what was committed stays").containsAllEntriesOf(commits);
        long order = 0;
        Commit last = null;
        for (Commit commit : now.values()) {
            assertThat(commit.order()).isEqualTo(++order);
            assertThat(commit.shards()).as("shards of %s", commit.id()).isEqualTo(ranks(commit.worldSize()));
            if (quiet && !commits.containsKey(commit.id())) {
                assertThat(commit.attempt()).as("a new commit").isEqualTo(fence);
            }
            if (last != null) {
                assertThat(commit.attempt()).isGreaterThanOrEqualTo(last.attempt());
                if (commit.attempt() == last.attempt()) {
                    assertThat(commit.step()).isGreaterThan(last.step());
                }
            }
            last = commit;
        }
        commits = now;
        if (quiet) {
            assertThat(head.getValue().getKey()).as("version of the head").isEqualTo(order);
            assertThat(head.getValue().getValue()).isEqualTo(last == null ? "null" : last.id());
            assertThat(jdbc.sql(
                                    "select count(*) from checkpoint where job_id = ? and phase = 'RESERVED' and attempt < ?")
                            .params(job.value(), fence)
                            .query(Long.class)
                            .single())
                    .as("unfinished ones behind the fence")
                    .isZero();
        }
    }

    private Map<String, Commit> read() {
        Map<String, Commit> found = new LinkedHashMap<>();
        jdbc.sql("""
                        select c.id, c.attempt, c.step, c.world_size, c.commit_version,
                               (select string_agg(s.rank::text, ',' order by s.rank)
                                from checkpoint_shard s where s.checkpoint_id = c.id) as shards
                        from checkpoint c where c.job_id = ? and c.phase = 'COMMITTED' order by c.commit_version""")
                .param(job.value())
                .query((row, number) -> new Commit(
                        row.getString(1),
                        row.getInt(2),
                        row.getLong(3),
                        row.getInt(4),
                        row.getLong(5),
                        row.getString(6)))
                .list()
                .forEach(commit -> found.put(commit.id(), commit));
        return found;
    }

    private static String ranks(int worldSize) {
        return String.join(
                ",",
                java.util.stream.IntStream.range(0, worldSize)
                        .mapToObj(Integer::toString)
                        .toList());
    }

    List<Long> orders() {
        return commits.values().stream().map(Commit::order).toList();
    }
}

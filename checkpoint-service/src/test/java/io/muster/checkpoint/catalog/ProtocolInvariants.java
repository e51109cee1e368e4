package io.muster.checkpoint.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.messaging.OutgoingEvent;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What always holds of a job, read from the database after every step of a test:
 *
 * <ul>
 *   <li>the fence never falls, and what is committed stays where it is in the order of commits, as it was, but that PEER
 *       becomes DURABLE and COMMITTED becomes CORRUPT, never back;
 *   <li>each commit has exactly the shards of ranks 0 to worldSize - 1;
 *   <li>commits are numbered 1, 2, 3 … up to the head's version, and the head names the last;
 *   <li>along the order of commits attempts never fall, and within an attempt steps rise;
 *   <li>a commit that is new is of the attempt at the fence; nothing unfinished is of an earlier one;
 *   <li>an attempt is always told the same start; what it restores had a copy of every rank when it was first told;
 *   <li>events are numbered 1, 2, 3 …, and the last tells the newest commit and the corrupt ones as they are.
 * </ul>
 */
final class ProtocolInvariants {

    private final JdbcClient jdbc;
    private final JobId job;
    private final Map<Integer, RestoreDecision> decisions = new HashMap<>();
    private Map<String, Commit> commits = new LinkedHashMap<>();
    private int fence;

    private record Commit(
            String id,
            int attempt,
            long step,
            int worldSize,
            long order,
            String shards,
            String phase,
            String durability) {

        Commit firstForm() {
            return new Commit(id, attempt, step, worldSize, order, shards, "", "");
        }
    }

    ProtocolInvariants(JdbcClient jdbc, JobId job) {
        this.jdbc = jdbc;
        this.job = job;
    }

    void told(int attempt, RestoreDecision decision) {
        RestoreDecision before = decisions.putIfAbsent(attempt, decision);
        if (before != null) {
            assertThat(withoutPlaces(decision))
                    .as("what attempt %d is told", attempt)
                    .isEqualTo(withoutPlaces(before));
        }
    }

    /** Copies become more and fewer while an attempt asks again; what it starts from does not change. */
    private static RestoreDecision withoutPlaces(RestoreDecision decision) {
        return new RestoreDecision(
                decision.verdict(),
                decision.checkpointId(),
                decision.step(),
                decision.shards().stream()
                        .map(shard -> new StoredShard(shard.rank(), null, shard.sizeBytes(), shard.sha256(), List.of()))
                        .toList(),
                decision.message());
    }

    /** At a moment at which nothing else happens, after a decision that was told for the first time. */
    boolean isNew(int attempt) {
        return !decisions.containsKey(attempt);
    }

    void checkEvents(List<OutgoingEvent> events) {
        assertThat(events)
                .extracting(OutgoingEvent::sequence)
                .isEqualTo(LongStream.rangeClosed(1, events.size()).boxed().toList());
        if (events.isEmpty()) {
            assertThat(commits).isEmpty();
            return;
        }
        var last = (CheckpointState) events.getLast().data();
        List<Commit> all = List.copyOf(read().values());
        assertThat(last.checkpointId().value()).isEqualTo(all.getLast().id());
        assertThat(last.durability().name()).isEqualTo(all.getLast().durability());
        assertThat(last.corrupt().stream().map(CheckpointId::value).toList())
                .isEqualTo(all.stream()
                        .filter(commit -> commit.phase().equals("CORRUPT"))
                        .map(Commit::id)
                        .toList());
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
        commits.forEach((id, before) -> {
            Commit after = now.get(id);
            assertThat(after).as("what was committed stays").isNotNull();
            assertThat(after.firstForm()).as("as it was").isEqualTo(before.firstForm());
            assertThat(before.durability() + after.durability())
                    .as("durability of %s", id)
                    .isNotEqualTo("DURABLEPEER");
            assertThat(before.phase() + after.phase()).as("phase of %s", id).isNotEqualTo("CORRUPTCOMMITTED");
        });
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
                                    "select count(*) from checkpoint where job_id = ? and phase in ('RESERVED', 'LOCAL') and attempt < ?")
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
                                from checkpoint_shard s where s.checkpoint_id = c.id) as shards,
                               c.phase, c.durability
                        from checkpoint c where c.job_id = ? and c.phase in ('COMMITTED', 'CORRUPT')
                        order by c.commit_version""")
                .param(job.value())
                .query((row, number) -> new Commit(
                        row.getString(1),
                        row.getInt(2),
                        row.getLong(3),
                        row.getInt(4),
                        row.getLong(5),
                        row.getString(6),
                        row.getString(7),
                        row.getString(8)))
                .list()
                .forEach(commit -> found.put(commit.id(), commit));
        return found;
    }

    private static String ranks(int worldSize) {
        return String.join(
                ",", IntStream.range(0, worldSize).mapToObj(Integer::toString).toList());
    }
}

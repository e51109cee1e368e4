package io.muster.job.submission;

import io.muster.contract.id.JobId;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Keys of the last 24 hours. The key's row is inserted first in the transaction that stores the job: of two submissions
 * at once the second waits at the primary key until the first has committed, and then finds its answer; if the first
 * rolled back, the second goes on as if it had been alone. A key that is older counts as unused and is taken over where it
 * stands; those that nobody uses again are swept out regularly, never while a person waits for a submission.
 */
@Repository
class IdempotencyStore {

    /** What was done under a key before. */
    sealed interface Earlier {}

    record Same(StoredAnswer answer) implements Earlier {}

    record Different(String key) implements Earlier {}

    static final Duration KEPT = Duration.ofHours(24);

    private final JdbcClient jdbc;
    private final Clock clock;

    IdempotencyStore(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    Optional<Earlier> find(IdempotencyKey key) {
        return jdbc.sql("""
                select fingerprint, job_id, answer from idempotency
                where tenant = :tenant and key = :key and created_at > :oldest and job_id is not null""")
                .param("tenant", key.tenant().value())
                .param("key", key.key())
                .param("oldest", oldest())
                .query((row, n) -> {
                    if (!row.getString("fingerprint").equals(key.fingerprint())) {
                        return (Earlier) new Different(key.key());
                    }
                    String[] parts = row.getString("answer").split("\n", 2);
                    return new Same(new StoredAnswer(new JobId(row.getString("job_id")), parts[0], parts[1]));
                })
                .optional();
    }

    /** False if the key is taken. */
    boolean claim(IdempotencyKey key) {
        return jdbc.sql("""
                insert into idempotency (tenant, key, fingerprint, created_at) values (:tenant, :key, :fingerprint, :now)
                on conflict (tenant, key) do update set fingerprint = excluded.fingerprint,
                    created_at = excluded.created_at, job_id = null, answer = null
                where idempotency.created_at <= :oldest""")
                        .param("oldest", oldest())
                        .param("tenant", key.tenant().value())
                        .param("key", key.key())
                        .param("fingerprint", key.fingerprint())
                        .param("now", Timestamp.from(clock.instant()))
                        .update()
                == 1;
    }

    void keep(IdempotencyKey key, StoredAnswer answer) {
        jdbc.sql("update idempotency set job_id = :job, answer = :answer where tenant = :tenant and key = :key")
                .param("job", answer.job().value())
                .param("answer", answer.tag() + "\n" + answer.body())
                .param("tenant", key.tenant().value())
                .param("key", key.key())
                .update();
    }

    /** Deletes at most so many expired keys; skips those that a submission or another instance has in hand. */
    int sweep(int most) {
        return jdbc.sql("""
                delete from idempotency where (tenant, key) in (
                    select tenant, key from idempotency where created_at <= :oldest
                    order by created_at limit :most for update skip locked)""").param("oldest", oldest()).param("most", most).update();
    }

    private Timestamp oldest() {
        Instant oldest = clock.instant().minus(KEPT);
        return Timestamp.from(oldest);
    }
}

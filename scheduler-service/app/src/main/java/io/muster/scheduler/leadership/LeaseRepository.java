package io.muster.scheduler.leadership;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The lease row. Every comparison uses the database's clock, read at the moment the row is locked, so the clocks of the
 * instances do not matter. The row's lock makes takeover and commit exclude each other: a commit either ends before the
 * takeover and is seen by the new leader's first reading, or finds the epoch risen and changes nothing.
 */
@Repository
public class LeaseRepository {

    private final JdbcClient jdbc;

    LeaseRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** The new epoch if the lease had run out. */
    OptionalLong takeOver(String holder, Duration lease) {
        return jdbc.sql("""
                UPDATE leadership SET epoch = epoch + 1, holder = :holder,
                    expires_at = clock_timestamp() + CAST(:millis AS bigint) * interval '1 millisecond'
                WHERE expires_at < clock_timestamp()
                RETURNING epoch""")
                .param("holder", holder)
                .param("millis", lease.toMillis())
                .query(Long.class)
                .optional()
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty);
    }

    /** False if someone else has taken over; a lease that ran out unnoticed is renewed. */
    boolean renew(long epoch, Duration lease) {
        return jdbc.sql("""
                UPDATE leadership
                SET expires_at = clock_timestamp() + CAST(:millis AS bigint) * interval '1 millisecond'
                WHERE epoch = :epoch""")
                        .param("epoch", epoch)
                        .param("millis", lease.toMillis())
                        .update()
                == 1;
    }

    void giveUp(long epoch) {
        jdbc.sql("UPDATE leadership SET expires_at = '-infinity' WHERE epoch = :epoch")
                .param("epoch", epoch)
                .update();
    }

    /**
     * To be called first in a leader's transaction: locks the lease row to its end and gives the time of this commit,
     * which never falls; empty if the epoch has risen, then nothing may be written.
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public Optional<Instant> fence(long epoch) {
        return jdbc.sql("""
                UPDATE leadership SET last_commit = GREATEST(last_commit, clock_timestamp())
                WHERE epoch = :epoch
                RETURNING last_commit""")
                .param("epoch", epoch)
                .query(OffsetDateTime.class)
                .optional()
                .map(OffsetDateTime::toInstant);
    }
}

package io.muster.messaging;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The SQL of the outbox: events, and who may relay them. */
final class OutboxRepository {

    private final JdbcClient jdbc;

    OutboxRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** An event to be sent; {@code ageSeconds} is how old it was when it was read, by the database's clock. */
    record Unsent(
            long position,
            String id,
            String topic,
            String key,
            String type,
            String subject,
            Instant time,
            String event,
            double ageSeconds) {}

    record Backlog(long events, double oldestSeconds) {}

    String identity() {
        return jdbc.sql("SELECT id::text FROM messaging_identity")
                .query(String.class)
                .single();
    }

    void insert(OutgoingEvent event, String id, Instant time, String json) {
        jdbc.sql("INSERT INTO outbox_event (id, topic, key, key_hash, type, subject, sequence, time, event)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        id,
                        event.topic(),
                        event.key(),
                        event.key().hashCode() & Integer.MAX_VALUE,
                        event.type(),
                        event.subject(),
                        event.sequence(),
                        time.atOffset(ZoneOffset.UTC),
                        json)
                .update();
    }

    /**
     * In the order of appending. A transaction that appended earlier may commit later and its events then follow; for
     * one key the sequence tells, and services change one key in one transaction at a time.
     */
    List<Unsent> unsent(RelayLane lane, int limit) {
        return switch (lane) {
            case RelayLane.Shard shard ->
                unsent(
                        "key_hash % ? = ? AND topic <> ALL(?)",
                        shard.shards(), shard.number(), shard.without().toArray(String[]::new), limit);
            case RelayLane.OfTopic one -> unsent("topic = ?", one.topic(), limit);
        };
    }

    private List<Unsent> unsent(String which, Object... parameters) {
        return jdbc.sql("SELECT position, id, topic, key, type, subject, time, event,"
                        + " extract(epoch FROM clock_timestamp() - created_at) AS age_seconds"
                        + " FROM outbox_event WHERE sent_at IS NULL AND " + which + " ORDER BY position LIMIT ?")
                .params(parameters)
                .query((row, number) -> new Unsent(
                        row.getLong("position"),
                        row.getString("id"),
                        row.getString("topic"),
                        row.getString("key"),
                        row.getString("type"),
                        row.getString("subject"),
                        row.getTimestamp("time").toInstant(),
                        row.getString("event"),
                        row.getDouble("age_seconds")))
                .list();
    }

    /** Only after the broker's acknowledgement; true whoever sent it, so no lease is asked for. */
    void markSent(long[] positions) {
        jdbc.sql("UPDATE outbox_event SET sent_at = clock_timestamp() WHERE position = ANY(?) AND sent_at IS NULL")
                .param(positions)
                .update();
    }

    Backlog backlog() {
        return jdbc.sql("SELECT count(*) AS events,"
                        + " coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0) AS oldest_seconds"
                        + " FROM outbox_event WHERE sent_at IS NULL")
                .query((row, number) -> new Backlog(row.getLong("events"), row.getDouble("oldest_seconds")))
                .single();
    }

    /** At most {@code limit} rows of each table, so that no long transaction holds up the relay. */
    int removeOld(Duration retention, int limit) {
        double seconds = retention.toMillis() / 1000.0;
        int events = jdbc.sql("DELETE FROM outbox_event WHERE position IN (SELECT position FROM outbox_event"
                        + " WHERE sent_at < clock_timestamp() - make_interval(secs => ?) LIMIT ?)")
                .params(seconds, limit)
                .update();
        int received = jdbc.sql("DELETE FROM inbox_event WHERE ctid IN (SELECT ctid FROM inbox_event"
                        + " WHERE at < clock_timestamp() - make_interval(secs => ?) LIMIT ?)")
                .params(seconds, limit)
                .update();
        return events + received;
    }

    /**
     * One statement decides who wins: the row lock makes the losers see the winner's expiry. An owner may take over
     * from its own earlier life at once. The term tells two lives apart.
     */
    OptionalLong acquire(RelayLane lane, String owner, Duration lease) {
        Optional<Long> term = jdbc.sql("INSERT INTO outbox_relay AS held (shard, owner, term, expires_at)"
                        + " VALUES (?, ?, 1, clock_timestamp() + make_interval(secs => ?))"
                        + " ON CONFLICT (shard) DO UPDATE SET owner = excluded.owner, term = held.term + 1,"
                        + " expires_at = excluded.expires_at"
                        + " WHERE held.expires_at <= clock_timestamp() OR held.owner = excluded.owner"
                        + " RETURNING term")
                .params(lane.number(), owner, lease.toMillis() / 1000.0)
                .query(Long.class)
                .optional();
        return term.map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    /** False when another took over; a lease that merely ran out is continued. */
    boolean renew(RelayLane lane, String owner, long term, Duration lease) {
        return jdbc.sql("UPDATE outbox_relay SET expires_at = clock_timestamp() + make_interval(secs => ?)"
                                + " WHERE shard = ? AND owner = ? AND term = ?")
                        .params(lease.toMillis() / 1000.0, lane.number(), owner, term)
                        .update()
                == 1;
    }

    void release(RelayLane lane, String owner, long term) {
        jdbc.sql("UPDATE outbox_relay SET expires_at = clock_timestamp() WHERE shard = ? AND owner = ? AND term = ?")
                .params(lane.number(), owner, term)
                .update();
    }
}

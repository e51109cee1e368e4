package io.muster.messaging;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The SQL of the inbox. */
final class InboxRepository {

    private static final String PARKED_COLUMNS =
            "subscription, key, topic, partition, event_id, type, sequence, event, reason, failed_at, parked_at";

    private final JdbcClient jdbc;

    InboxRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** A parked key with where its records come from. */
    record Parked(ParkedKey key, String topic, int partition) {}

    /** What became of one event. */
    record Row(String eventId, String key, long sequence, Outcome outcome) {}

    enum Outcome {
        APPLIED,
        SUPERSEDED
    }

    OptionalLong nextOffset(String subscription, TopicPartition partition) {
        Optional<Long> offset = jdbc.sql("SELECT next_offset FROM inbox_offset"
                        + " WHERE subscription = ? AND topic = ? AND partition = ?")
                .params(subscription, partition.topic(), partition.partition())
                .query(Long.class)
                .optional();
        return offset.map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    /**
     * Compare-and-set, first in the transaction: it takes the row lock, so that of two instances that both believe to
     * hold the partition (a rebalance went past a paused one) the second waits, finds another offset and is refused.
     */
    boolean advance(String subscription, TopicPartition partition, OptionalLong expected, long next) {
        if (expected.isEmpty()) {
            return jdbc.sql("INSERT INTO inbox_offset (subscription, topic, partition, next_offset)"
                                    + " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
                            .params(subscription, partition.topic(), partition.partition(), next)
                            .update()
                    == 1;
        }
        return jdbc.sql("UPDATE inbox_offset SET next_offset = ?"
                                + " WHERE subscription = ? AND topic = ? AND partition = ? AND next_offset = ?")
                        .params(next, subscription, partition.topic(), partition.partition(), expected.getAsLong())
                        .update()
                == 1;
    }

    /** The same lock for one who applies beside the stream (a retry). */
    void lock(String subscription, TopicPartition partition) {
        jdbc.sql("SELECT next_offset FROM inbox_offset"
                        + " WHERE subscription = ? AND topic = ? AND partition = ? FOR UPDATE")
                .params(subscription, partition.topic(), partition.partition())
                .query(Long.class)
                .optional();
    }

    Map<String, Long> appliedSequences(String subscription, Collection<String> keys) {
        return sequences(
                "SELECT key, sequence FROM inbox_key WHERE subscription = ? AND key = ANY(?)", subscription, keys);
    }

    Map<String, Long> parkedSequences(String subscription, Collection<String> keys) {
        return sequences(
                "SELECT key, sequence FROM inbox_parked_key WHERE subscription = ? AND key = ANY(?)",
                subscription,
                keys);
    }

    private Map<String, Long> sequences(String sql, String subscription, Collection<String> keys) {
        Map<String, Long> found = new TreeMap<>();
        jdbc.sql(sql).params(subscription, keys.toArray(String[]::new)).query(row -> {
            found.put(row.getString("key"), row.getLong("sequence"));
        });
        return found;
    }

    void setApplied(String subscription, Map<String, Long> sequences) {
        if (sequences.isEmpty()) {
            return;
        }
        jdbc.sql("INSERT INTO inbox_key (subscription, key, sequence) SELECT ?, k, s FROM unnest(?, ?) AS new (k, s)"
                        + " ON CONFLICT (subscription, key) DO UPDATE SET sequence = excluded.sequence"
                        + " WHERE inbox_key.sequence < excluded.sequence")
                .params(
                        subscription,
                        sequences.keySet().toArray(String[]::new),
                        sequences.values().toArray(Long[]::new))
                .update();
    }

    /** A row that is there stays as it is: the event was decided before and has come again. */
    void record(String subscription, List<Row> rows) {
        if (rows.isEmpty()) {
            return;
        }
        jdbc.sql("INSERT INTO inbox_event (subscription, event_id, key, sequence, outcome)"
                        + " SELECT ?, i, k, s, o FROM unnest(?, ?, ?, ?) AS new (i, k, s, o) ON CONFLICT DO NOTHING")
                .params(
                        subscription,
                        rows.stream().map(Row::eventId).toArray(String[]::new),
                        rows.stream().map(Row::key).toArray(String[]::new),
                        rows.stream().map(Row::sequence).toArray(Long[]::new),
                        rows.stream().map(row -> row.outcome().name()).toArray(String[]::new))
                .update();
    }

    void deadLetter(
            String subscription,
            TopicPartition partition,
            long offset,
            byte @Nullable [] key,
            byte[] value,
            String reason) {
        jdbc.sql("INSERT INTO inbox_dead_letter"
                        + " (subscription, topic, partition, record_offset, record_key, record_value, reason)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
                .param(subscription)
                .param(partition.topic())
                .param(partition.partition())
                .param(offset)
                .param(key)
                .param(value)
                .param(reason)
                .update();
    }

    /** The newest event of the key stays. */
    void park(
            String subscription, TopicPartition partition, EventMetadata event, String json, String reason, String at) {
        jdbc.sql("INSERT INTO inbox_parked_key AS parked"
                        + " (subscription, key, topic, partition, event_id, type, sequence, event, reason, failed_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (subscription, key) DO UPDATE SET"
                        + " event_id = excluded.event_id, type = excluded.type, sequence = excluded.sequence,"
                        + " event = excluded.event, reason = excluded.reason, failed_at = excluded.failed_at"
                        + " WHERE parked.sequence <= excluded.sequence")
                .params(
                        subscription,
                        event.key(),
                        partition.topic(),
                        partition.partition(),
                        event.id(),
                        event.type(),
                        event.sequence(),
                        json,
                        reason,
                        at)
                .update();
    }

    /** A later event of a parked key takes the place of the parked one; what failed and where stays told. */
    void replaceParked(String subscription, EventMetadata event, String json) {
        jdbc.sql("UPDATE inbox_parked_key SET event_id = ?, type = ?, sequence = ?, event = ?"
                        + " WHERE subscription = ? AND key = ? AND sequence < ?")
                .params(event.id(), event.type(), event.sequence(), json, subscription, event.key(), event.sequence())
                .update();
    }

    /** Not if a newer event has taken its place meanwhile. */
    void unpark(String subscription, EventMetadata event) {
        jdbc.sql("DELETE FROM inbox_parked_key WHERE subscription = ? AND key = ? AND sequence <= ?")
                .params(subscription, event.key(), event.sequence())
                .update();
    }

    Optional<Parked> parked(String subscription, String key) {
        return jdbc.sql("SELECT " + PARKED_COLUMNS + " FROM inbox_parked_key WHERE subscription = ? AND key = ?")
                .params(subscription, key)
                .query((row, number) -> parked(row))
                .optional();
    }

    List<ParkedKey> allParked() {
        return jdbc.sql("SELECT " + PARKED_COLUMNS + " FROM inbox_parked_key ORDER BY parked_at, subscription, key")
                .query((row, number) -> parked(row).key())
                .list();
    }

    long countParked(String subscription) {
        return jdbc.sql("SELECT count(*) FROM inbox_parked_key WHERE subscription = ?")
                .param(subscription)
                .query(Long.class)
                .single();
    }

    private static Parked parked(ResultSet row) throws SQLException {
        var key = new ParkedKey(
                row.getString("subscription"),
                row.getString("key"),
                row.getString("event_id"),
                row.getString("type"),
                row.getLong("sequence"),
                row.getString("event"),
                row.getString("reason"),
                row.getString("failed_at"),
                row.getTimestamp("parked_at").toInstant());
        return new Parked(key, row.getString("topic"), row.getInt("partition"));
    }
}

package io.muster.messaging;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Compares a sender's outbox with one subscriber's inbox, each in its own database. Nothing was lost or done twice when
 * it finds nothing: every event that was sent is in the inbox, or a higher sequence of its key was applied, or its key is
 * parked with it or a newer one. It looks at what the retention has left, and is meant for a moment without traffic.
 */
public final class InboxAudit {

    private InboxAudit() {}

    /** One event that breaks the rule. */
    public record Finding(String eventId, String key, long sequence, String problem) {}

    private record Sent(String id, String key, long sequence, boolean acknowledged) {}

    public static List<Finding> compare(JdbcClient sender, JdbcClient receiver, String topic, String subscription) {
        Map<String, String> outcomes = new HashMap<>();
        Map<String, Integer> effects = new HashMap<>();
        receiver.sql("SELECT event_id, key, sequence, outcome FROM inbox_event WHERE subscription = ?")
                .param(subscription)
                .query(row -> {
                    outcomes.put(row.getString("event_id"), row.getString("outcome"));
                    if (row.getString("outcome").equals("APPLIED")) {
                        effects.merge(row.getString("key") + " " + row.getLong("sequence"), 1, Integer::sum);
                    }
                });
        Map<String, Long> applied = highest(receiver, "inbox_key", subscription);
        Map<String, Long> parked = highest(receiver, "inbox_parked_key", subscription);
        Set<String> used = new HashSet<>();
        List<Finding> findings = new ArrayList<>();
        for (Sent event : sent(sender, topic)) {
            String place = event.key() + " " + event.sequence();
            if (!used.add(place)) {
                findings.add(finding(event, "its sequence was used before by another event of its key"));
            } else if (!event.acknowledged()) {
                findings.add(finding(event, "it is still in the outbox"));
            } else if (effects.getOrDefault(place, 0) > 1) {
                findings.add(finding(event, "it was applied " + effects.get(place) + " times"));
            } else if (!outcomes.containsKey(event.id())
                    && applied.getOrDefault(event.key(), -1L) <= event.sequence()
                    && parked.getOrDefault(event.key(), -1L) < event.sequence()) {
                findings.add(finding(event, "it is missing and nothing newer of its key was applied"));
            }
        }
        return findings;
    }

    private static Map<String, Long> highest(JdbcClient receiver, String table, String subscription) {
        Map<String, Long> sequences = new HashMap<>();
        receiver.sql("SELECT key, sequence FROM " + table + " WHERE subscription = ?")
                .param(subscription)
                .query(row -> {
                    sequences.put(row.getString("key"), row.getLong("sequence"));
                });
        return sequences;
    }

    private static List<Sent> sent(JdbcClient sender, String topic) {
        return sender.sql("SELECT id, key, sequence, sent_at IS NOT NULL AS acknowledged FROM outbox_event"
                        + " WHERE topic = ? ORDER BY position")
                .param(topic)
                .query((row, number) -> new Sent(
                        row.getString("id"),
                        row.getString("key"),
                        row.getLong("sequence"),
                        row.getBoolean("acknowledged")))
                .list();
    }

    private static Finding finding(Sent event, String problem) {
        return new Finding(event.id(), event.key(), event.sequence(), problem);
    }
}

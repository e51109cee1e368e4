package io.muster.edge.stream;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The numbers of changes, in the service's database: so they hold over restarts and for every instance of the service.
 *
 * <p>A writer only marks that something has changed, in its own transaction. Numbers are given afterwards, to marks that
 * are committed, by one statement at a time: a number drawn by the writers themselves could be committed after a higher
 * one, and a reader who has passed the higher one would never see it. Writers append marks and never wait here; the
 * number of a key is rewritten by each of its changes, so the table has one row for each key, and whoever comes back
 * after long reads every key that changed meanwhile once, as it is now.
 *
 * <p>The tables are made by the service: {@code change_mark (entry, feed, key)}, {@code change (feed, key, number)}, the
 * sequence {@code change_number}.
 */
public final class ChangeLog implements ChangeMarks {

    private final JdbcClient jdbc;

    ChangeLog(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public void mark(String feed, String key) {
        jdbc.sql("insert into change_mark (feed, key) values (:feed, :key)")
                .param("feed", feed)
                .param("key", key)
                .update();
    }

    /**
     * Gives numbers to the marks committed so far; does nothing where another instance is at it. One statement, so that an
     * instance which stops in the middle of it leaves no lock behind. A statement that began before the one ahead of it
     * ended finds the marks gone (their rows are read again before they are deleted).
     */
    void number() {
        jdbc.sql("""
                with turn as materialized (select pg_try_advisory_xact_lock(hashtextextended('change_number', 0)) as mine),
                taken as (delete from change_mark where (select mine from turn) returning entry, feed, key),
                due as (select feed, key from taken group by feed, key order by max(entry))
                insert into change (feed, key, number) select feed, key, nextval('change_number') from due
                on conflict (feed, key) do update set number = excluded.number""").update();
    }

    /** Every change up to here can be seen. */
    long newest() {
        return jdbc.sql("select coalesce(max(number), 0) from change")
                .query(Long.class)
                .single();
    }

    /** The highest number there can be anywhere; more than {@link #newest} while numbers are being given. */
    long issued() {
        return jdbc.sql("select case when is_called then last_value else 0 end from change_number")
                .query(Long.class)
                .single();
    }

    /** Of the newest change of a key that has a number; 0 if there is none. */
    public long of(String feed, String key) {
        Optional<@Nullable Long> number = jdbc.sql("select number from change where feed = :feed and key = :key")
                .param("feed", feed)
                .param("key", key)
                .query(Long.class)
                .optional();
        return number.orElse(0L);
    }

    /** For a feed that tells which keys have changed, and no more. */
    public List<Change<String>> keys(String feed, long after, int most) {
        return jdbc.sql("""
                select number, key from change where feed = :feed and number > :after order by number limit :most""")
                .param("feed", feed)
                .param("after", after)
                .param("most", most)
                .query((row, n) -> {
                    String key = row.getString("key");
                    return new Change<>(row.getLong("number"), key, key);
                })
                .list();
    }
}

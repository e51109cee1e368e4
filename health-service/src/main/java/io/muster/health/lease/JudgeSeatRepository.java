package io.muster.health.lease;

import java.time.Duration;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The one row that says which instance judges. Only the database's clock is asked, so instances' clocks do not matter. */
@Repository
class JudgeSeatRepository {

    private final JdbcClient jdbc;

    JudgeSeatRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Takes the seat if its holder has been silent; two that try at once wait for each other on the row. */
    Optional<Long> take(String holder, String url, Duration life) {
        return jdbc.sql("""
                        update judge_seat set term = term + 1, holder = :holder, address = :url,
                            until = clock_timestamp() + :millis * interval '1 millisecond'
                        where seat = 1 and until < clock_timestamp()
                        returning term""")
                .param("holder", holder)
                .param("url", url)
                .param("millis", life.toMillis())
                .query(Long.class)
                .optional();
    }

    /** False if another instance has taken the seat. */
    boolean renew(String holder, long term, Duration life) {
        return jdbc.sql("""
                        update judge_seat set until = clock_timestamp() + :millis * interval '1 millisecond'
                        where seat = 1 and holder = :holder and term = :term""")
                        .param("millis", life.toMillis())
                        .param("holder", holder)
                        .param("term", term)
                        .update()
                == 1;
    }

    void release(String holder, long term) {
        jdbc.sql("update judge_seat set until = 'epoch' where seat = 1 and holder = :holder and term = :term")
                .param("holder", holder)
                .param("term", term)
                .update();
    }

    Optional<String> judgeUrl() {
        return jdbc.sql("select address from judge_seat where seat = 1 and until >= clock_timestamp()")
                .query(String.class)
                .optional();
    }

    /** Inside the transaction of a write. The share lock keeps a takeover waiting until that transaction has ended. */
    boolean stillHeld(String holder, long term) {
        return jdbc.sql("select 1 from judge_seat where seat = 1 and holder = :holder and term = :term for share")
                .param("holder", holder)
                .param("term", term)
                .query(Integer.class)
                .optional()
                .isPresent();
    }
}

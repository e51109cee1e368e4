package io.muster.health.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class JudgeSeatRepositoryTest {

    private static final Duration LONG = Duration.ofHours(1);

    private JdbcClient jdbc;
    private JudgeSeatRepository seat;

    @BeforeEach
    void freshDatabase() {
        TestDatabase database = TestDatabases.fresh("seat");
        Flyway.configure()
                .dataSource(database.url(), database.user(), database.password())
                .locations("classpath:db/health")
                .load()
                .migrate();
        jdbc = JdbcClient.create(new DriverManagerDataSource(database.url(), database.user(), database.password()));
        seat = new JudgeSeatRepository(jdbc);
    }

    @Test
    void oneOfManyThatTryAtOnceTakesTheSeat() throws InterruptedException, ExecutionException {
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Optional<Long>>> tries = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                String holder = "judge_" + i;
                tries.add(threads.submit(() -> {
                    go.await();
                    return seat.take(holder, "http://" + holder, LONG);
                }));
            }
            go.countDown();
        }
        List<Long> taken = new ArrayList<>();
        for (Future<Optional<Long>> one : tries) {
            one.get().ifPresent(taken::add);
        }
        assertThat(taken).containsExactly(1L);
    }

    @Test
    void aJudgeThatWasReplacedCanNeitherRenewNorWrite() {
        long first = seat.take("a", "http://a", LONG).orElseThrow();
        assertThat(seat.renew("a", first, LONG)).isTrue();
        assertThat(seat.stillHeld("a", first)).isTrue();
        jdbc.sql("update judge_seat set until = 'epoch'").update();

        long second = seat.take("b", "http://b", LONG).orElseThrow();
        assertThat(second).isGreaterThan(first);
        assertThat(seat.renew("a", first, LONG)).isFalse();
        assertThat(seat.stillHeld("a", first)).isFalse();
        seat.release("a", first);
        assertThat(seat.judgeUrl()).hasValue("http://b");
        assertThat(seat.stillHeld("b", second)).isTrue();
    }

    @Test
    void aSeatThatIsGivenFreeIsTakenAtOnce() {
        long term = seat.take("a", "http://a", LONG).orElseThrow();
        assertThat(seat.take("b", "http://b", LONG)).isEmpty();
        seat.release("a", term);
        assertThat(seat.judgeUrl()).isEmpty();
        assertThat(seat.take("b", "http://b", LONG)).isPresent();
    }
}

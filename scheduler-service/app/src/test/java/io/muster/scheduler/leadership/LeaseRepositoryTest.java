package io.muster.scheduler.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.scheduler.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class LeaseRepositoryTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private Schema schema;
    private LeaseRepository leases;
    private TransactionTemplate transactions;

    @BeforeEach
    void start() {
        schema = Schema.fresh();
        leases = new LeaseRepository(schema.sql());
        transactions = schema.transactions(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    @Test
    void onlyALeaseThatRanOutIsTakenOverAndEachTimeTheEpochRises() {
        assertThat(leases.takeOver("a", LONG)).hasValue(1);
        assertThat(leases.takeOver("b", LONG)).isEmpty();
        assertThat(leases.renew(1, LONG)).isTrue();
        runOut();
        assertThat(leases.renew(1, LONG)).as("nobody took it meanwhile").isTrue();
        assertThat(leases.takeOver("b", LONG)).isEmpty();
        runOut();
        assertThat(leases.takeOver("b", LONG)).hasValue(2);
        assertThat(leases.renew(1, LONG)).isFalse();
        leases.giveUp(1);
        assertThat(leases.takeOver("a", LONG))
                .as("only its holder gives a lease up")
                .isEmpty();
        leases.giveUp(2);
        assertThat(leases.takeOver("a", LONG)).hasValue(3);
    }

    @Test
    void theFenceLetsOnlyTheNewestEpochPass() {
        leases.takeOver("a", LONG);
        assertThat(fence(1)).isPresent();
        runOut();
        assertThat(fence(1)).as("an epoch counts until the next one").isPresent();
        leases.takeOver("b", LONG);
        assertThat(fence(1)).isEmpty();
        assertThat(fence(2)).isPresent();
        assertThat(fence(3)).isEmpty();
    }

    @Test
    void commitTimesNeverFallEvenIfTheClockDoes() {
        leases.takeOver("a", LONG);
        Instant first = fence(1).orElseThrow();
        assertThat(fence(1).orElseThrow()).isAfterOrEqualTo(first);

        schema.sql()
                .sql("UPDATE leadership SET last_commit = now() + interval '1 hour'")
                .update();
        Instant ahead = fence(1).orElseThrow();
        assertThat(ahead).isAfter(first.plusSeconds(3000));
        assertThat(fence(1)).contains(ahead);
    }

    @Test
    void thereIsOnlyOneLeadership() {
        assertThatThrownBy(() -> schema.sql()
                        .sql("INSERT INTO leadership VALUES (false, 9, 'c', now(), now())")
                        .update())
                .hasMessageContaining("leadership");
    }

    private Optional<Instant> fence(long epoch) {
        Optional<Instant> moment = transactions.execute(_ -> leases.fence(epoch));
        return moment == null ? Optional.empty() : moment;
    }

    private void runOut() {
        schema.sql().sql("UPDATE leadership SET expires_at = '-infinity'").update();
    }
}

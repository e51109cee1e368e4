package io.muster.job.submission;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.job.JobServiceTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@JobServiceTest
class IdempotencySweepTest {

    @Autowired
    IdempotencyStore store;

    @Autowired
    IdempotencySweep sweep;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TransactionTemplate transaction;

    @BeforeEach
    void keysOfTwoTenants() {
        jdbc.sql("delete from idempotency where tenant in ('sweep-a', 'sweep-b')")
                .update();
        for (String tenant : new String[] {"sweep-a", "sweep-b"}) {
            insert(tenant, "old", 1300, "25 hours");
            insert(tenant, "new", 10, "23 hours");
        }
    }

    private void insert(String tenant, String prefix, int keys, String age) {
        jdbc.sql("""
                insert into idempotency (tenant, key, fingerprint, created_at)
                select :tenant, :prefix || n, 'f', now() - cast(:age as interval) from generate_series(1, :keys) n""")
                .param("tenant", tenant)
                .param("prefix", prefix)
                .param("age", age)
                .param("keys", keys)
                .update();
    }

    private long keys(String prefix) {
        return jdbc.sql("select count(*) from idempotency where tenant like 'sweep-%' and key like :prefix")
                .param("prefix", prefix + "%")
                .query(Long.class)
                .single();
    }

    @Test
    void expiredKeysAreForgottenBatchByBatchAndTheOthersStay() {
        assertThat(store.sweep(7)).isEqualTo(7);
        sweep.sweep();
        assertThat(keys("old")).isZero();
        assertThat(keys("new")).isEqualTo(20);
    }

    @Test
    void aSubmissionClearsNobodysKeysButTakesOverItsOwn() {
        IdempotencyKey own = new IdempotencyKey(new io.muster.contract.id.TenantId("sweep-a"), "old1", "g");
        boolean claimed = Boolean.TRUE.equals(transaction.execute(status -> store.claim(own)));
        assertThat(claimed).isTrue();
        assertThat(keys("old")).isEqualTo(2600);
        assertThat(Boolean.TRUE.equals(transaction.execute(status -> store.claim(own))))
                .as("now it is in use")
                .isFalse();
    }

    @Test
    void aKeyThatASubmissionHasInHandIsSkipped() {
        transaction.executeWithoutResult(status -> {
            jdbc.sql("select 1 from idempotency where tenant = 'sweep-a' and key = 'old1' for update")
                    .query(Integer.class)
                    .single();
            Thread other = Thread.ofVirtual().start(sweep::sweep);
            try {
                other.join();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(keys("old")).isEqualTo(1);
    }
}

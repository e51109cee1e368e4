package io.muster.job.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.job.JobServiceTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@JobServiceTest
class JobCountsTest {

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TransactionTemplate transaction;

    @Test
    void jobsThatEndedLongAgoAreNotReadToCountTheOthers() {
        String plan = transaction.execute(status -> {
            jdbc.sql("set local enable_seqscan = off").update();
            return String.join(
                    "\n",
                    jdbc.sql("explain " + JobCounts.BY_STATE)
                            .query(String.class)
                            .list());
        });
        assertThat(plan).contains("job_ended").doesNotContain("Seq Scan");
    }
}

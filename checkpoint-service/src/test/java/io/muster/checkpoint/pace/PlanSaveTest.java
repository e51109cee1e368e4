package io.muster.checkpoint.pace;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.CheckpointSystem;
import io.muster.contract.id.JobId;
import io.muster.edge.id.Ids;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@CheckpointSystem
class PlanSaveTest {

    private static final Duration INTERVAL = Duration.ofMillis(50);

    @Autowired
    private PlanSave planSave;

    @Autowired
    private Ids ids;

    @Test
    void membersThatAskAtOnceAreAllToldTheSameSteps() throws Exception {
        JobId job = ids.newJobId();
        int members = 6;
        try (var pool = Executors.newFixedThreadPool(members)) {
            List<Future<List<Long>>> futures = new ArrayList<>();
            for (int member = 0; member < members; member++) {
                futures.add(pool.submit(() -> {
                    List<Long> saves = new ArrayList<>();
                    for (long step = 0; saves.size() < 15; ) {
                        step = planSave.next(job, 1, step, INTERVAL).nextStep();
                        saves.add(step);
                    }
                    return saves;
                }));
            }
            List<Long> first = futures.getFirst().get();
            assertThat(first).isSorted().doesNotHaveDuplicates();
            for (Future<List<Long>> other : futures) {
                assertThat(other.get()).isEqualTo(first);
            }
        }
    }

    @Test
    void aLaterAttemptPlansAnew() {
        JobId job = ids.newJobId();
        long before = planSave.next(job, 1, 1_000, INTERVAL).nextStep();
        assertThat(before).isGreaterThan(1_000);
        assertThat(planSave.next(job, 2, 10, INTERVAL).nextStep()).isBetween(12L, 18L);
    }
}

package io.muster.edge.id;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.JobId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdsTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void idsAlwaysRiseWhateverTheClockDoes(long seed) {
        Random random = new Random(seed);
        long[] now = {1_769_000_000_000L};
        Ids ids = new Ids(
                () -> {
                    now[0] += random.nextInt(5) - 2;
                    return Instant.ofEpochMilli(now[0]);
                },
                random);
        List<JobId> made = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            made.add(ids.newJobId());
        }
        assertThat(made).as("seed %d", seed).doesNotHaveDuplicates().isSorted();
        assertThat(made).allSatisfy(id -> assertThat(id.value()).matches("job_[0-9a-hjkmnp-tv-z]{26}"));
        assertThat(ids.newCheckpointId().value()).startsWith("chk_");
        assertThat(ids.newId("key")).startsWith("key_");
    }
}

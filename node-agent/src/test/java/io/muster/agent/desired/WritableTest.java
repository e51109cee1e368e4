package io.muster.agent.desired;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.http.Json;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.id.JobId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WritableTest {

    private static AttemptReport report(int attempt, @Nullable Map<String, Object> result) {
        return new AttemptReport(
                new JobId("job_0000000001"),
                attempt,
                MemberPhase.RUNNING,
                null,
                null,
                List.of(),
                List.of(),
                null,
                result,
                null);
    }

    @Test
    void oneThatCannotBeWrittenGoesWithoutItsWordsAndTheOthersAsTheyAre() {
        Map<String, Object> deep = Map.of("x", 1);
        for (int level = 0; level < 2000; level++) {
            deep = Map.of("x", deep);
        }
        AttemptReport first = report(1, Map.of("loss", 1));
        AttemptReport last = report(3, null);
        assertThat(Writable.of(List.of(first, report(2, deep), last), Json.mapper()))
                .containsExactly(first, report(2, null), last);
    }
}

package io.muster.quota.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.problem.Violation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageQuestionTest {

    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    @Test
    void withoutTimesItIsTheLastThirtyDays() {
        assertThat(UsageQuestion.read("queue", null, null, NOW))
                .isEqualTo(new UsageQuestion.Reading.Understood(
                        new UsageQuestion(UsageGroup.QUEUE, NOW.minus(Duration.ofDays(30)), NOW)));
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        assertThat(wrong("colour", "yesterday", "+999999999-12-31T23:59:59Z"))
                .extracting(Violation::pointer)
                .containsExactly("/groupBy", "/to", "/from");
    }

    @Test
    void fromIsBeforeTo() {
        assertThat(wrong("job", "2026-11-29T12:00:00Z", "2026-11-29T12:00:00Z"))
                .singleElement()
                .satisfies(violation -> assertThat(violation.message())
                        .isEqualTo("from 2026-11-29T12:00:00Z is not before to 2026-11-29T12:00:00Z"));
    }

    private static List<Violation> wrong(String groupBy, String from, String to) {
        var reading = UsageQuestion.read(groupBy, from, to, NOW);
        assertThat(reading).isInstanceOf(UsageQuestion.Reading.Wrong.class);
        return ((UsageQuestion.Reading.Wrong) reading).violations();
    }
}

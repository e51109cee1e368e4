package io.muster.health.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.CheckStatus;
import io.muster.health.TestNodes;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClockOffsetTest {

    private static final Instant NOW = TestNodes.NOON;

    @ParameterizedTest(name = "offsets {0} ms are {1}")
    @CsvSource(textBlock = """
                    0,                          PASS
                    -1000,                      PASS
                    1000,                       PASS
                    1001,                       WARN
                    -1001,                      WARN
                    -5000,                      WARN
                    5001,                       UNKNOWN
                    5001 5001,                  UNKNOWN
                    5001 5001 5001,             FAIL
                    -6000 -6000 -6000,          FAIL
                    -6000 -9000 -20,            PASS
                    -6000 -9000 -2000,          WARN
                    9000 -1 -1 -1 -1 -1,        PASS
                    -1 -1 -1 9000 9000 9000,    FAIL
                    """)
    void theQuickestOfTheLastFiveHeartbeatsCounts(String offsets, CheckStatus expected) {
        ClockOffset clock = ClockOffset.NONE;
        for (long millis :
                Arrays.stream(offsets.split(" ", -1)).mapToLong(Long::parseLong).toArray()) {
            clock = clock.with(NOW.plusMillis(millis), NOW);
        }
        assertThat(clock.judge(NOW).status()).isEqualTo(expected);
        assertThat(clock.settled()).isEqualTo(expected != CheckStatus.UNKNOWN);
    }

    @Test
    void saysHowFarAndWhichWay() {
        ClockOffset behind = ClockOffset.NONE.with(NOW.minusMillis(1500), NOW);

        assertThat(behind.judge(NOW).message()).contains("1500 ms behind");
        assertThat(ClockOffset.NONE.judge(NOW).status()).isEqualTo(CheckStatus.UNKNOWN);
    }
}

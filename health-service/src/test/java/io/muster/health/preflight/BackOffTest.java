package io.muster.health.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackOffTest {

    @ParameterizedTest
    @CsvSource({"0,60", "1,120", "2,240", "5,1920", "6,3600", "7,3600", "1000,3600"})
    void doublesUpToAnHour(int earlier, long seconds) {
        assertThat(BackOff.after(earlier).toSeconds()).isEqualTo(seconds);
    }
}

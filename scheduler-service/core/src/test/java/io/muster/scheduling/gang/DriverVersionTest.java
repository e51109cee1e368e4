package io.muster.scheduling.gang;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverVersionTest {

    @ParameterizedTest
    @CsvSource({
        "535.86.05, 535.104.05, -1",
        "535.104.05, 535.86.05, 1",
        "535.86.5, 535.86.05, 0",
        "550, 550.0.0, 0",
        "550.54, 550.54.15, -1",
        "9.0, 10.0, -1",
        "570.1-rc1, 570.1, 0",
    })
    void comparesNumberByNumber(String left, String right, int order) {
        DriverVersion one = DriverVersion.of(left);
        DriverVersion two = DriverVersion.of(right);
        assertThat(Integer.signum(one.compareTo(two))).isEqualTo(order);
        assertThat(one.equals(two)).isEqualTo(order == 0);
        assertThat(one.hashCode() == two.hashCode()).isEqualTo(order == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v535", "535..1", "535.", ".1", "99999999999", "none"})
    void refusesWhatIsNoVersion(String text) {
        assertThat(DriverVersion.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.0.1", "535.86.05"})
    void anUnknownDriverIsOlderThanAny(String text) {
        assertThat(DriverVersion.UNKNOWN).isLessThan(DriverVersion.of(text));
    }
}

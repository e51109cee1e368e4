package io.muster.health.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.CheckStatus;
import io.muster.health.TestNodes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FactChecksTest {

    @ParameterizedTest(name = "{0} against at least {1} is {2}")
    @CsvSource(textBlock = """
                    0.1.0,          0.1.0,  PASS
                    0.1.0-SNAPSHOT, 0.1.0,  PASS
                    v0.2,           0.1.9,  PASS
                    1.0.0,          0.9.99, PASS
                    0.10.0,         0.9.0,  PASS
                    0.0.9,          0.1.0,  FAIL
                    0.9.0,          0.10.0, FAIL
                    development,    0.1.0,  FAIL
                    unpackaged,     0.1.0,  WARN
                    '',             0.1.0,  FAIL
                    """)
    void agentVersion(String version, String minimum, CheckStatus expected) {
        assertThat(FactChecks.agentVersion(version, minimum, TestNodes.NOON).status())
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} seen of {1} is {2}")
    @CsvSource({"8,8,PASS", "7,8,FAIL", "0,8,FAIL", "9,8,WARN", "0,0,PASS"})
    void gpuCount(int seen, int inventory, CheckStatus expected) {
        var result = FactChecks.gpuCount(TestNodes.facts("r1-n1", seen), inventory, TestNodes.NOON);

        assertThat(result.status()).isEqualTo(expected);
        assertThat(result.message()).contains(seen + " GPUs seen").contains(inventory + " in the inventory");
    }
}

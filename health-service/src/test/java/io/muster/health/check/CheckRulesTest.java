package io.muster.health.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.health.TestNodes;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckRulesTest {

    @ParameterizedTest(name = "{0} {1} (required {2}): lets {3}, keeps off {4}, speaks against the node {5}")
    @CsvSource(textBlock = """
                    disk_space,       PASS,    true,  true,  false, false
                    disk_space,       WARN,    true,  true,  false, false
                    disk_space,       SKIPPED, true,  true,  false, false
                    disk_space,       FAIL,    true,  false, true,  true
                    disk_space,       UNKNOWN, true,  false, true,  true
                    disk_space,       FAIL,    false, false, true,  true
                    disk_space,       UNKNOWN, false, false, true,  true
                    store_reachable,  FAIL,    true,  false, true,  false
                    tcp_pairs,        FAIL,    true,  false, false, false
                    restore_verified, FAIL,    true,  false, false, false
                    clock_offset,     FAIL,    true,  false, true,  true
                    clock_offset,     UNKNOWN, true,  false, false, false
                    agent_version,    FAIL,    true,  false, true,  true
                    something_new,    FAIL,    true,  false, true,  true
                    something_new,    FAIL,    false, true,  false, false
                    something_new,    UNKNOWN, false, true,  false, false
                    """)
    void whatAResultMeans(
            String check, CheckStatus status, boolean required, boolean lets, boolean keepsOff, boolean against) {
        CheckResult result = new CheckResult(check, status, required, "3 of 10", 1, TestNodes.NOON);

        assertThat(CheckRules.lets(result)).isEqualTo(lets);
        assertThat(CheckRules.keepsOff(result)).isEqualTo(keepsOff);
        assertThat(CheckRules.speaksAgainstNode(result)).isEqualTo(against);
    }

    @Test
    void ofTwoResultsOfOneCheckTheWorseCounts() {
        var pass = TestNodes.check("gpu_count", CheckStatus.PASS, TestNodes.NOON);
        var fail = TestNodes.check("gpu_count", CheckStatus.FAIL, TestNodes.NOON);

        assertThat(CheckRules.worst(List.of(pass, fail)).values()).containsExactly(fail);
        assertThat(CheckRules.worst(List.of(fail, pass)).values()).containsExactly(fail);
    }

    @Test
    void aDescriptionHasEveryFailureWithItsNumbers() {
        assertThat(CheckRules.describe(List.of(
                        TestNodes.check("memory", CheckStatus.UNKNOWN, TestNodes.NOON),
                        TestNodes.check("disk_space", CheckStatus.FAIL, TestNodes.NOON))))
                .isEqualTo("2 required checks do not pass: disk_space: disk_space is FAIL, 3 of 10;"
                        + " memory could not run: memory is UNKNOWN, 3 of 10");
    }
}

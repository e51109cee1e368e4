package io.muster.health.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.CheckStatus;
import io.muster.health.TestNodes;
import io.muster.health.hold.HoldBook;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckRoundTest {

    private static final Instant ASKED = TestNodes.NOON;
    private static final Instant LATER = ASKED.plusMillis(800);
    private final CheckRound round = CheckRound.asked(HoldBook.EMPTY, ASKED);

    @Test
    void passesWhenAllAgentChecksPass() {
        assertThat(round.failures(List.of())).isEmpty();
        assertThat(round.with(TestNodes.allPass(LATER)).failures(List.of())).hasValue(List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpu_count",
                "leftover_processes",
                "disk_space",
                "disk_write_read",
                "memory",
                "name_resolution",
                "fd_limit",
                "store_reachable"
            })
    void everyCheckThatIsMissingKeepsTheRoundOpenAndEveryOneThatFailsFailsIt(String check) {
        var without = TestNodes.allPass(LATER).stream()
                .filter(result -> !result.check().equals(check))
                .toList();
        assertThat(round.with(without).failures(List.of())).isEmpty();
        assertThat(round.with(without).missing()).containsExactly(check);
        for (CheckStatus bad : List.of(CheckStatus.FAIL, CheckStatus.UNKNOWN)) {
            assertThat(round.with(TestNodes.allPassBut(check, bad, LATER))
                            .failures(List.of())
                            .orElseThrow())
                    .extracting(result -> result.check())
                    .containsExactly(check);
        }
    }

    @Test
    void resultsFromBeforeTheAskingDoNotCount() {
        assertThat(round.with(TestNodes.allPass(ASKED.minusMillis(1))).missing())
                .hasSize(8);
        assertThat(CheckRound.ofNewNode(HoldBook.EMPTY)
                        .with(TestNodes.allPass(ASKED.minusMillis(1)))
                        .missing())
                .isEmpty();
    }

    @Test
    void anOlderResultThatArrivesLateDoesNotReplaceTheNewer() {
        var newer = TestNodes.check("memory", CheckStatus.FAIL, LATER.plusMillis(1));
        CheckRound answered =
                round.with(TestNodes.allPass(LATER)).with(List.of(newer)).with(TestNodes.allPass(LATER));

        assertThat(answered.failures(List.of()).orElseThrow()).containsExactly(newer);
    }

    @ParameterizedTest
    @EnumSource(
            value = CheckStatus.class,
            names = {"PASS", "WARN", "FAIL"})
    void ourOwnResultsCountToo(CheckStatus status) {
        var ours = List.of(TestNodes.check("clock_offset", status, LATER));

        assertThat(round.with(TestNodes.allPass(LATER))
                        .failures(ours)
                        .orElseThrow()
                        .isEmpty())
                .isEqualTo(status != CheckStatus.FAIL);
    }
}

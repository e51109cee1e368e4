package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CleanReportTest {

    static AttemptReport everywhere(String text, int attempt) {
        return new AttemptReport(
                JobFixture.ID,
                attempt,
                MemberPhase.PREFLIGHT_FAILED,
                70000,
                null,
                List.of(new CheckResult(text, CheckStatus.FAIL, true, text, 1, T0)),
                List.of(new RankReport(0, 0, 1, T0, true, new RankExit(1, null, ExitCause.USER_ERROR, text, T0))),
                new Progress(1, null, Map.of(text, 0.5), T0),
                Map.of(text, List.of(Map.of(text, text))),
                null);
    }

    /** Every text that an agent can send, as it would be stored. */
    private static List<String> texts(AttemptReport report) {
        List<String> texts = new ArrayList<>();
        report.checks().forEach(check -> texts.addAll(List.of(check.check(), check.message())));
        report.ranks().forEach(rank -> texts.add(rank.exit().lastLine()));
        texts.addAll(report.progress().metrics().keySet());
        collect(report.result(), texts);
        return texts;
    }

    private static void collect(Object value, List<String> texts) {
        switch (value) {
            case String text -> texts.add(text);
            case Map<?, ?> map ->
                map.forEach((key, inner) -> {
                    texts.add((String) key);
                    collect(inner, texts);
                });
            case List<?> list -> list.forEach(inner -> collect(inner, texts));
            default -> throw new AssertionError(value);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whateverAnAgentSaysCanBeStoredAndIsBounded(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(random.nextInt(10) == 0 ? 40000 : 60);
            for (int i = 0; i < length; i++) {
                text.append((char) (random.nextBoolean() ? random.nextInt(0xA0) : random.nextInt(0x10000)));
            }
            AttemptReport clean = CleanReport.of(everywhere(text.toString(), 1));
            for (String stored : texts(clean)) {
                assertThat(stored.chars().noneMatch(Character::isISOControl)).isTrue();
                assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(stored))
                        .as("no half of a character")
                        .isTrue();
            }
            assertThat(clean.checks().getFirst().check().length()).isLessThanOrEqualTo(CleanReport.NAME);
            assertThat(clean.checks().getFirst().message().length()).isLessThanOrEqualTo(CleanReport.MESSAGE);
            assertThat(clean.ranks().getFirst().exit().lastLine().length()).isLessThanOrEqualTo(CleanReport.LAST_LINE);
            assertThat(new StoredJson().write(clean.result()).getBytes(StandardCharsets.UTF_8).length)
                    .isLessThanOrEqualTo(CleanReport.RESULT_BYTES);
            assertThat(clean.offeredMasterPort()).isNull();
        }
    }

    @Test
    void whatIsFitIsLeftAsItIs() {
        AttemptReport fit = everywhere("loss Ω 😀 \"x\"", 1);
        AttemptReport clean = CleanReport.of(fit);
        assertThat(clean.checks()).isEqualTo(fit.checks());
        assertThat(clean.ranks()).isEqualTo(fit.ranks());
        assertThat(clean.progress()).isEqualTo(fit.progress());
        assertThat(clean.result()).isEqualTo(fit.result());
    }

    @Test
    void aTextIsCutAtItsLimitAndNotBefore() {
        assertThat(CleanReport.text("abc", 3)).isEqualTo("abc");
        assertThat(CleanReport.text("abcd", 3)).isEqualTo("ab…");
        assertThat(CleanReport.text("a😀b", 3)).as("no half a smile").isEqualTo("a…");
        assertThat(CleanReport.text("a\u0000\tb", 9)).isEqualTo("a  b");
        assertThat(CleanReport.text("\uD83D", 9)).isEqualTo("\uFFFD");
    }

    @Test
    void aResultThatIsTooMuchSaysSo() {
        Object deep = 1;
        for (int level = 0; level < CleanReport.RESULT_DEPTH + 1; level++) {
            deep = List.of(deep);
        }
        for (Map<String, Object> result :
                List.of(Map.<String, Object>of("deep", deep), Map.<String, Object>of("a", "é".repeat(12000)))) {
            AttemptReport report = new AttemptReport(
                    JobFixture.ID, 1, MemberPhase.RUNNING, 1, null, List.of(), List.of(), null, result, null);
            assertThat(CleanReport.of(report).result()).containsOnlyKeys("notKept");
        }
    }
}

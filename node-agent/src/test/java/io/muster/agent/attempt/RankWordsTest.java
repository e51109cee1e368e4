package io.muster.agent.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.http.Json;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RankWordsTest {

    private static final JsonMapper JSON = Json.mapper();

    private static JsonNode nested(String open, String close, int levels) {
        return JSON.readTree("{\"x\":" + open.repeat(levels - 1) + "1" + close.repeat(levels - 1) + "}");
    }

    @ParameterizedTest
    @CsvSource({"[,]", "'{\"a\":','}'"})
    void thirtyTwoLevelsAreTakenAndNoMore(String open, String close) {
        assertThat(RankWords.refuseResult(nested(open, close, 32))).isEmpty();
        assertThat(RankWords.refuseResult(nested(open, close, 33)).orElseThrow())
                .contains("32 levels");
        assertThat(RankWords.refuseResult(nested(open, close, 400)).orElseThrow())
                .contains("32 levels");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":\"x\\u0000y\"}", "{\"a\\u0000\":1}", "{\"a\":[{\"b\":\"\\ud800\"}]}"})
    void textThatCannotBeStoredIsRefused(String result) {
        assertThat(RankWords.refuseResult(JSON.readTree(result)).orElseThrow()).contains("cannot be stored");
    }

    @Test
    void otherTextIsTaken() {
        assertThat(RankWords.refuseResult(JSON.readTree("{\"a\":\"x\\n\\ty 😀\",\"b\":[1,null,true,1.5,NaN]}")))
                .isEmpty();
    }

    private static JsonNode metrics(int count) {
        return JSON.readTree(IntStream.range(0, count)
                .mapToObj(index -> "\"m" + index + "\":" + index)
                .collect(Collectors.joining(",", "{", "}")));
    }

    @Test
    void sixtyFourMetricsAreTakenAndNoMore() {
        assertThat(RankWords.refuseMetrics(metrics(64))).isEmpty();
        assertThat(RankWords.finite(metrics(64))).hasSize(64);
        assertThat(RankWords.refuseMetrics(metrics(65)).orElseThrow()).contains("65 metrics, at most 64");
    }

    @Test
    void namesOfMetricsAreShortAndPrintable() {
        assertThat(RankWords.refuseMetrics(JSON.readTree("{\"" + "n".repeat(64) + "\":1,\"größe 1\":2}")))
                .isEmpty();
        for (String name : new String[] {"n".repeat(65), "", " ", "a\\u0000", "a\\nb", "\\ud800"}) {
            assertThat(RankWords.refuseMetrics(JSON.readTree("{\"" + name + "\":1}"))
                            .orElseThrow())
                    .as(name)
                    .contains("1 to 64 printable");
        }
    }

    @Test
    void onlyFiniteNumbersAreKept() {
        assertThat(RankWords.finite(JSON.readTree("{\"a\":NaN,\"b\":\"x\",\"c\":1e999,\"d\":2}")))
                .containsOnlyKeys("d");
    }
}

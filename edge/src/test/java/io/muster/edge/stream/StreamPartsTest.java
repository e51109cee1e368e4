package io.muster.edge.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.edge.problem.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class StreamPartsTest {

    @Test
    void anIdTellsWhereAStreamGoesOn() {
        assertThat(Resume.of(null, 100, 10)).isEqualTo(new Resume.Anew());
        assertThat(Resume.of("", 100, 10)).isEqualTo(new Resume.Anew());
        assertThat(Resume.of("90", 100, 10)).isEqualTo(new Resume.After(90, false));
        assertThat(Resume.of("100", 100, 10)).isEqualTo(new Resume.After(100, false));
        assertThat(Resume.of("89", 100, 10)).as("too far behind").isEqualTo(new Resume.Reset(89, 100));
        assertThat(Resume.of("101", 100, 10)).as("of another life").isEqualTo(new Resume.Reset(101, 100));
        assertThat(Resume.of("7-end", 100, 10)).isEqualTo(new Resume.After(7, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "x", "-1", "1.5", "1-ende", "-end", "9999999999999999999", "1\u0661", "1 ", "0x1"})
    void whatIsNoIdIsRefusedWithItsText(String text) {
        assertThatThrownBy(() -> Resume.of(text, 100, 10)).isInstanceOfSatisfying(ProblemException.class, refused -> {
            assertThat(refused.problem().status()).isEqualTo(400);
            assertThat(refused.problem().detail()).contains("Last-Event-ID", "'" + text + "'");
            assertThat(refused.problem().violations()).hasSize(1);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void placesAreNeverMoreThanAllowedAndAllComeBack(long seed) {
        Random random = new Random(seed);
        Places places = new Places(10, 4);
        Map<String, Integer> held = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            String caller = "key" + random.nextInt(5);
            int own = held.getOrDefault(caller, 0);
            int all = held.values().stream().mapToInt(Integer::intValue).sum();
            if (random.nextBoolean()) {
                var refused = places.take(caller);
                assertThat(refused.isPresent()).as("seed %d", seed).isEqualTo(all >= 10 || own >= 4);
                refused.ifPresent(problem -> assertThat(problem.status()).isEqualTo(all >= 10 ? 503 : 429));
                if (refused.isEmpty()) {
                    held.put(caller, own + 1);
                }
            } else if (own > 0) {
                places.giveBack(caller);
                held.put(caller, own - 1);
            }
            assertThat(places.open())
                    .isEqualTo(
                            held.values().stream().mapToInt(Integer::intValue).sum());
        }
    }

    @Test
    void anEventIsWrittenOnOneLineOfDataWhateverItHolds() throws IOException {
        assertThat(written(out -> out.change(7, new Event("job", Map.of("message", "a\nb\r\n\ndata: é")))))
                .isEqualTo("id: 7\nevent: job\ndata: {\"message\":\"a\\nb\\r\\n\\ndata: é\"}\n\n");
        assertThat(written(out -> out.state(new Event("job", List.of(1)))))
                .as("without an id")
                .isEqualTo("event: job\ndata: [1]\n\n");
        assertThat(written(out -> out.ended(7, "over"))).startsWith("id: 7-end\nevent: end\ndata: {");
    }

    @Test
    void aStreamWhoseTokenIsOverTellsWhyAndEnds() throws Exception {
        ChangeFeed<String> feed = new ChangeFeed<>((after, most) -> List.of());
        assertThat(written(out -> {
                    try {
                        out.follow(feed, 5, change -> true);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }))
                .contains("event: end", "TOKEN_ENDED");
    }

    private interface Writing {
        void to(EventStream out) throws IOException;
    }

    private static String written(Writing writing) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Instant now = Instant.parse("2026-11-29T12:00:00Z");
        writing.to(new EventStream(
                bytes,
                JsonMapper.shared(),
                Clock.fixed(now, ZoneOffset.UTC),
                new EventStream.Terms(now, Duration.ofSeconds(1), Duration.ofSeconds(1)),
                () -> false));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}

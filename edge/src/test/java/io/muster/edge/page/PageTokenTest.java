package io.muster.edge.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.muster.edge.problem.ProblemException;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PageTokenTest {

    @ParameterizedTest
    @ValueSource(strings = {"job_01k9x3v7q2m4n8p6r0s1t5w9ya", "a/b", "é✓", "2026-01-31T12:00:00Z|job_1"})
    void whatIsEncodedComesBack(String key) {
        assertThat(PageToken.decode(new PageToken(key).encoded()).lastKey()).isEqualTo(key);
        assertThat(new PageToken(key).encoded()).matches("[A-Za-z0-9_-]+");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "a", "YQ==", "YR", "AAAA", "_w", "job_1 OR 1=1"})
    void anythingElseIsRefused(String token) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> PageToken.decode(token))
                .satisfies(e -> assertThat(e.problem().status()).isEqualTo(400));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noiseIsRefusedOrAKeyNeverAnythingElse(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            String noise = random.ints(random.nextInt(20), 33, 127)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            try {
                assertThat(PageToken.decode(noise).encoded()).isEqualTo(noise);
            } catch (ProblemException e) {
                assertThat(e.problem().code()).isEqualTo("INVALID_PAGE_TOKEN");
            }
        }
    }
}

package io.muster.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.logs.LogTail;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a rank prints, what is quoted of it can be stored. */
class PlainTextTest {

    static IntStream controls() {
        return IntStream.range(0, 0xA0).filter(Character::isISOControl);
    }

    private static String lastLine(String tail) {
        return ExitReading.read(new ExitReading.Evidence(1, tail, null, false)).lastLine();
    }

    @ParameterizedTest
    @MethodSource("controls")
    void noControlCharacterIsQuoted(int control) {
        String words = "a" + Character.toString(control) + "b";
        assertThat(lastLine(words + "\n").codePoints()).noneMatch(Character::isISOControl);
        assertThat(lastLine("Traceback (most recent call last):\n  x\nE: " + words + "\n")
                        .codePoints())
                .noneMatch(Character::isISOControl);
    }

    @Test
    void plainTextStaysAsItIs() {
        String text = "ValueError: ‘größe’ 大 😀 is wrong";
        assertThat(lastLine(text + "\n")).isEqualTo(text);
        assertThat(lastLine("a\tb")).isEqualTo("a b");
        assertThat(lastLine("a\0b")).isEqualTo("a\uFFFDb");
        assertThat(lastLine("a\uD83Db")).isEqualTo("a\uFFFDb");
    }

    @ParameterizedTest
    @ValueSource(ints = {498, 499, 500, 501})
    void noCharacterIsCutInHalf(int before) {
        String line = lastLine("x".repeat(before) + "😀".repeat(10));
        assertThat(line).hasSizeLessThanOrEqualTo(501).endsWith("…");
        assertThat(PlainText.isPrintable(line)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyBytesAtAllAreReadAsStorableText(long seed, @TempDir Path folder) throws IOException {
        byte[] bytes = new byte[4000];
        new Random(seed).nextBytes(bytes);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(bytes);
        all.writeBytes(new byte[] {'z', (byte) 0xC3, 0, (byte) 0xED, (byte) 0xA0, (byte) 0x80, (byte) 0xFF});
        Path log = Files.write(folder.resolve("log"), all.toByteArray());
        String line = lastLine(LogTail.read(log));
        assertThat(PlainText.isPrintable(line)).as("seed " + seed).isTrue();
        assertThat(new String(line.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                .isEqualTo(line);
    }
}

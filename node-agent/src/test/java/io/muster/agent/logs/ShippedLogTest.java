package io.muster.agent.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.agent.process.Kernel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShippedLogTest {

    private static final long CAP = 40L << 20;

    @TempDir
    Path folder;

    private final Kernel kernel = new Kernel();

    private ShippedLog log() {
        return new ShippedLog(folder.resolve("local"), folder.resolve("store/a/rank-0.log"), CAP, kernel);
    }

    private void print(byte[] bytes) throws IOException {
        Files.write(folder.resolve("local"), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Restarts at any moment, also after a write that got only half way, lose nothing and double nothing. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void theCopyIsTheOriginalWhateverHappensBetween(long seed) throws IOException {
        Random random = new Random(seed);
        ShippedLog log = log();
        for (int round = 0; round < 60; round++) {
            byte[] some = new byte[random.nextInt(20_000)];
            random.nextBytes(some);
            print(some);
            if (random.nextInt(3) > 0) {
                log.ship();
            }
            if (random.nextInt(4) == 0) {
                log = log();
            }
            if (random.nextInt(5) == 0 && Files.exists(folder.resolve("store/a/rank-0.log"))) {
                truncate(random);
            }
        }
        log.ship();
        assertThat(Files.mismatch(folder.resolve("local"), folder.resolve("store/a/rank-0.log")))
                .as("seed " + seed)
                .isEqualTo(-1);
    }

    private void truncate(Random random) throws IOException {
        try (var channel =
                java.nio.channels.FileChannel.open(folder.resolve("store/a/rank-0.log"), StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - Math.min(channel.size(), random.nextInt(500)));
        }
    }

    @Test
    void aLongLogIsCutOnceInTheStoreAndItsBlocksAreGivenBack() throws Exception {
        ShippedLog log = log();
        byte[] block = new byte[1 << 20];
        Arrays.fill(block, (byte) 'x');
        for (int mebibyte = 0; mebibyte < 60; mebibyte++) {
            print(block);
            log.ship();
        }
        log.ship();
        log().ship();
        String stored = Files.readString(folder.resolve("store/a/rank-0.log"), StandardCharsets.UTF_8);
        assertThat(stored).hasSize((int) CAP + stored.substring((int) CAP).length());
        assertThat(stored.substring((int) CAP)).isEqualTo("\n[muster: cut here; the output went on beyond 40 MiB]\n");
        Process du = new ProcessBuilder("du", "-k", folder.resolve("local").toString()).start();
        long kibibytes = Long.parseLong(
                new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\t", 2)[0]);
        assertThat(kibibytes).isLessThan(20 * 1024);
        assertThat(LogTail.read(folder.resolve("local"))).endsWith("xxx");
    }

    @Test
    void aStoreThatIsAwaySaysSoAndGetsAllOfItLater() throws IOException {
        Files.writeString(folder.resolve("store"), "not a folder");
        print("hello\n".getBytes(StandardCharsets.UTF_8));
        ShippedLog log = log();
        assertThatThrownBy(log::ship).isInstanceOf(IOException.class);
        Files.delete(folder.resolve("store"));
        log.ship();
        assertThat(folder.resolve("store/a/rank-0.log")).hasContent("hello");
    }

    @Test
    void aLinkInPlaceOfTheLogIsNotFollowed() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "token");
        Files.createSymbolicLink(folder.resolve("local"), secret);
        assertThatThrownBy(() -> log().ship()).isInstanceOf(IOException.class);
        assertThat(LogTail.read(folder.resolve("local"))).isEmpty();
    }
}

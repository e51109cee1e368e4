package io.muster.agent.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.muster.agent.pace.StopSignal;
import io.muster.agent.process.Kernel;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogShipperTest {

    @TempDir
    Path folder;

    private final LogShipper shipper = new LogShipper(new Kernel(), new StopSignal());

    private static void pipe(Path at) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", at.toString()).start().waitFor())
                .isZero();
    }

    private static long flushes() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("log-flush"))
                .count();
    }

    /** A pipe without a reader hangs whoever opens it to write, like a store that does not answer. */
    @Test
    void aStoreThatHangsHoldsOneThreadForEachLogAndAnswersAreAtOnce() throws Exception {
        long before = flushes();
        Path one = Files.writeString(folder.resolve("one"), "1");
        Path two = Files.writeString(folder.resolve("two"), "2");
        pipe(folder.resolve("stored-one"));
        shipper.add(one, folder.resolve("stored-one"));
        shipper.add(two, folder.resolve("stored-two"));
        for (int time = 0; time < 10; time++) {
            assertThat(shipper.flush(List.of(one), Duration.ofMillis(10))).isFalse();
            assertTimeoutPreemptively(
                    Duration.ofSeconds(5),
                    () -> assertThat(shipper.isWhole(List.of(one))).isFalse());
        }
        assertThat(flushes() - before).isEqualTo(1);
        assertThat(shipper.flush(List.of(two), Duration.ofSeconds(20))).isTrue();
        assertThat(shipper.isWhole(List.of(two))).isTrue();
        try (RandomAccessFile reader =
                new RandomAccessFile(folder.resolve("stored-one").toFile(), "rw")) {
            assertThat(reader.getFD().valid()).isTrue();
            for (int look = 0; look < 500 && flushes() > before; look++) {
                Thread.sleep(10);
            }
        }
        assertThat(flushes()).isEqualTo(before);
    }

    @Test
    void aFlushShipsWhatWasPrintedBeforeIt() throws Exception {
        Path log = Files.writeString(folder.resolve("log"), "");
        shipper.add(log, folder.resolve("stored"));
        for (int line = 0; line < 20; line++) {
            Files.writeString(log, "line " + line + "\n", java.nio.file.StandardOpenOption.APPEND);
            assertThat(shipper.isWhole(List.of(log))).isFalse();
            assertThat(shipper.flush(List.of(log), Duration.ofSeconds(20))).isTrue();
            assertThat(shipper.isWhole(List.of(log))).isTrue();
            assertThat(Files.mismatch(log, folder.resolve("stored"))).isEqualTo(-1);
        }
    }

    @Test
    void aPipeInPlaceOfALogHangsNobodyAndHasNothingToShip() throws Exception {
        Path log = folder.resolve("log");
        pipe(log);
        shipper.add(log, folder.resolve("stored"));
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            assertThat(shipper.flush(List.of(log), Duration.ofSeconds(5))).isFalse();
            assertThat(shipper.isWhole(List.of(log))).isTrue();
        });
    }

    @Test
    void aLogThatNobodyShipsOrWroteIsWhole() {
        assertThat(shipper.isWhole(List.of(folder.resolve("none")))).isTrue();
        shipper.add(folder.resolve("none"), folder.resolve("stored"));
        assertThat(shipper.isWhole(List.of(folder.resolve("none")))).isTrue();
        assertThat(shipper.flush(List.of(folder.resolve("none")), Duration.ofSeconds(5)))
                .isTrue();
    }
}

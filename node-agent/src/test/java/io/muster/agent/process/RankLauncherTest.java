package io.muster.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RankLauncherTest {

    @TempDir
    Path folder;

    private RankLauncher.Order order(String name) {
        return new RankLauncher.Order(
                List.of("true"), Map.of(), folder, folder.resolve(name + ".log"), folder.resolve(name + ".exit"));
    }

    @Test
    void aProgramThatEndedBeforeItWasSeenHasBeenStarted() throws IOException {
        Files.writeString(folder.resolve("a.exit"), "0\n");
        Files.writeString(folder.resolve("b.log"), "");
        for (String name : List.of("a", "b")) {
            ProcessEntry entry = RankLauncher.endedUnseen(77, 5, order(name));
            assertThat(entry).isEqualTo(new ProcessEntry(77, 0, 77, 77, 'X', 5));
            assertThat(entry.alive()).isFalse();
        }
        assertThatThrownBy(() -> RankLauncher.endedUnseen(77, 5, order("c"))).isInstanceOf(IOException.class);
    }

    @Test
    void theShortestProgramsAreAllStarted() throws Exception {
        ProcessTable table = new ProcessTable();
        RankLauncher launcher = new RankLauncher(table, Orphans.adopt(table, new Kernel()), Optional.empty(), 0);
        long before = table.now();
        for (int time = 0; time < 40; time++) {
            ProcessEntry entry = launcher.start(order("t" + time));
            assertThat(entry.startTicks()).isBetween(before, table.now());
            for (int look = 0; look < 500 && table.alive(entry.pid(), entry.startTicks()); look++) {
                Thread.sleep(10);
            }
            assertThat(folder.resolve("t" + time + ".exit")).hasContent("0");
        }
    }
}

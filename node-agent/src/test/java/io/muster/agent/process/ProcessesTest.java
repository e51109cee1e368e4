package io.muster.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessesTest {

    private final ProcessTable table = new ProcessTable();

    @Test
    void namesWithParenthesesAndSpacesAreRead() {
        String stat = "42 (a) (b c) S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 1 2 3";
        assertThat(ProcessEntry.parse(stat)).contains(new ProcessEntry(42, 7, 8, 9, 'S', 123456));
        assertThat(ProcessEntry.parse("garbage")).isEmpty();
        assertThat(ProcessEntry.parse("42 (x) S 1 2")).isEmpty();
    }

    @Test
    void aReusedNumberIsAnotherProcess() {
        long own = ProcessHandle.current().pid();
        long start = table.find(own).orElseThrow().startTicks();
        assertThat(table.alive(own, start)).isTrue();
        assertThat(table.alive(own, start + 1)).isFalse();
    }

    @Test
    void theEnvironmentOfAProcessIsRead() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sleep", "20");
        builder.environment().clear();
        builder.environment().put("AMUSTER_NODES_FILE", "no");
        builder.environment().put("MUSTER_NODES_FILE", "/x/y");
        Process process = builder.start();
        try {
            assertThat(table.environment(process.pid(), "MUSTER_NODES_FILE")).contains("/x/y");
            assertThat(table.environment(process.pid(), "MUSTER")).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void leftoversAreFoundUnlessTheyAreLookedAfter(@TempDir Path jobs) throws IOException {
        Path mark = jobs.resolve("job_0000000001/4/nodes.json");
        ProcessBuilder builder = new ProcessBuilder("sleep", "20");
        builder.environment().put("MUSTER_NODES_FILE", mark.toString());
        Process process = builder.start();
        try {
            LeftoverScan scan = new LeftoverScan(table, jobs);
            assertThat(scan.find(Set.of())).containsExactly("pid " + process.pid() + " of " + mark.getParent());
            assertThat(scan.find(Set.of(mark))).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void signalsNeverGoToEverybody() {
        Kernel kernel = new Kernel();
        assertThatThrownBy(() -> kernel.signal(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> kernel.signalGroup(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> kernel.signalGroup(0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"8,1,0,8", "8,2,1,4", "8,3,0,2", "8,3,2,3", "2,4,3,2", "0,1,0,0", "4,4,2,1"})
    void gpusAreDividedEvenly(int gpus, int processes, int localRank, int share) {
        List<Integer> all = java.util.stream.IntStream.range(0, gpus).boxed().toList();
        assertThat(RankEnvironment.share(all, processes, localRank)).hasSize(share);
    }

    @Test
    void killsForMemoryAreCountedInBothVersionsOfControlGroups(@TempDir Path folder) throws IOException {
        Path two = Files.writeString(folder.resolve("two"), "0::/a/b\n");
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("a/b/memory.events"), "low 0\noom 3\noom_kill 2\n");
        assertThat(new OutOfMemoryKills(two, folder).getAsLong()).isEqualTo(2);
        Path one = Files.writeString(folder.resolve("one"), "5:cpu,memory:/c\n0::/\n");
        Files.createDirectories(folder.resolve("memory/c"));
        Files.writeString(folder.resolve("memory/c/memory.oom_control"), "under_oom 0\noom_kill 7\n");
        assertThat(new OutOfMemoryKills(one, folder).getAsLong()).isEqualTo(7);
        assertThat(new OutOfMemoryKills(folder.resolve("none"), folder).getAsLong())
                .isZero();
    }
}

package io.muster.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.process.Orphans.Claim;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OrphansTest {

    private static final Path A = Path.of("/jobs/a/1/nodes.json");
    private static final Path B = Path.of("/jobs/b/1/nodes.json");
    private static final ProcessEntry ORPHAN = new ProcessEntry(900, 10, 900, 900, 'S', 500);

    private static Map<Path, Claim> claims(long sinceA, long sinceB) {
        Map<Path, Claim> claims = new LinkedHashMap<>();
        claims.put(A, new Claim(sinceA, Map.of(100L, 400L)));
        claims.put(B, new Claim(sinceB, Map.of(200L, 400L)));
        return claims;
    }

    private static boolean owns(ProcessEntry orphan, Path who, Map<Path, Claim> claims, Set<Path> traced, boolean end) {
        return Orphans.owns(orphan, who, claims, traced, end);
    }

    @Test
    void theOnlyAttemptOwnsIt() {
        Map<Path, Claim> only = Map.of(A, new Claim(400, Map.of()));
        assertThat(owns(ORPHAN, A, only, Set.of(), false)).isTrue();
        assertThat(owns(ORPHAN, B, only, Set.of(), true)).isFalse();
    }

    @Test
    void nobodyOwnsWhatIsOlderThanHisRanks() {
        assertThat(owns(ORPHAN, A, claims(501, 400), Set.of(), true)).isFalse();
        assertThat(owns(ORPHAN, B, claims(501, 400), Set.of(), false)).isTrue();
    }

    @Test
    void whatCouldBeOfTwoEndsWithTheFirstThatIsEnded() {
        assertThat(owns(ORPHAN, A, claims(400, 400), Set.of(), false)).isFalse();
        assertThat(owns(ORPHAN, A, claims(400, 400), Set.of(), true)).isTrue();
        assertThat(owns(ORPHAN, B, claims(400, 400), Set.of(), true)).isTrue();
    }

    @Test
    void whereItWorksDecides() {
        assertThat(owns(ORPHAN, A, claims(400, 400), Set.of(A), false)).isTrue();
        assertThat(owns(ORPHAN, B, claims(400, 400), Set.of(A), true)).isFalse();
    }

    @Test
    void aProcessOrSessionOfAnotherIsNeverTaken() {
        for (ProcessEntry ofB : List.of(
                new ProcessEntry(200, 10, 200, 200, 'S', 400),
                new ProcessEntry(900, 10, 900, 200, 'S', 500),
                new ProcessEntry(900, 10, 200, 900, 'S', 500))) {
            assertThat(owns(ofB, A, claims(400, 400), Set.of(), true)).isFalse();
        }
    }

    @Test
    void orphansComeHereAndAreReapedAndOwnProcessesAreNone() throws Exception {
        ProcessTable table = new ProcessTable();
        Orphans orphans = Orphans.adopt(table, new Kernel());
        long leader = orphans.start(new ProcessBuilder("setsid", "sh", "-c", "setsid -f sleep 87.5; exec sleep 86.5"));
        Process own = new ProcessBuilder("sleep", "20").start();
        try {
            ProcessEntry orphan = await(orphans);
            assertThat(ProcessHandle.of(orphan.pid())
                            .orElseThrow()
                            .info()
                            .arguments()
                            .orElseThrow())
                    .containsExactly("87.5");
            orphans.claim(A, orphan.startTicks(), Map.of());
            assertThat(orphans.belongs(orphan, A, false)).isTrue();
            assertThat(orphans.look().orphans()).extracting(ProcessEntry::pid).doesNotContain(leader, own.pid());
            new Kernel().signal(orphan.pid(), Kernel.KILL);
            for (int look = 0; look < 200 && table.find(orphan.pid()).isPresent(); look++) {
                orphans.reap();
                Thread.sleep(Duration.ofMillis(10));
            }
            assertThat(table.find(orphan.pid())).isEmpty();
        } finally {
            new Kernel().signal(leader, Kernel.KILL);
            own.destroyForcibly();
        }
    }

    private static ProcessEntry await(Orphans orphans) throws IOException, InterruptedException {
        for (int look = 0; look < 500; look++) {
            for (ProcessEntry entry : orphans.look().orphans()) {
                String line = ProcessHandle.of(entry.pid())
                        .flatMap(process -> process.info().commandLine())
                        .orElse("");
                if (line.endsWith("sleep 87.5")) {
                    return entry;
                }
            }
            Thread.sleep(Duration.ofMillis(20));
        }
        throw new AssertionError("no orphan came");
    }
}

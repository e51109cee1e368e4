package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What job-service may conclude from a report, and what a node that was cut off may still do. */
class EvidenceTest {

    @TempDir
    Path folder;

    private AgentFixture node;

    @BeforeEach
    void prepare() throws IOException {
        node = new AgentFixture(folder);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    /** Many times, because the order can only be wrong in a race. */
    @Test
    void anExitBeforeARevisionIsInTheReportThatAcknowledgesIt() throws Exception {
        node.startInside();
        for (int attempt = 1; attempt <= 10; attempt++) {
            Gang gang = node.gang().sh("sleep 100");
            AttemptReport running = node.run(gang, attempt);
            long pid = running.ranks().getFirst().pid();
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            Await.until("dead", () -> isDead(pid));
            int begun = attempt;
            node.plane.desire(gang.run(attempt, running.offeredMasterPort()));
            long revision = node.plane.desired.revision();
            NodeReport first = Await.untilFound(
                    "acknowledged",
                    () -> node.plane.reports.stream()
                            .filter(report -> report.acknowledgedRevision() >= revision)
                            .findFirst());
            assertThat(first.attempts())
                    .filteredOn(report -> report.attempt() == begun)
                    .singleElement()
                    .satisfies(report ->
                            assertThat(report.ranks().getFirst().exit()).isNotNull());
            node.plane.desire(Gang.stop(attempt));
            node.await(attempt, MemberPhase.GONE);
        }
    }

    private static boolean isDead(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") Z ");
        } catch (IOException gone) {
            return true;
        }
    }

    /** Paused for longer than its lease: attempt 2 runs elsewhere by now. */
    @Test
    void aZombieChangesNothingAndComesBackInANewSession() throws Exception {
        Process agent = node.startProcess();
        node.run(node.gang().sh("sleep 100").checkpoints(5, 0), 1);
        Path socket = node.folder(1).resolve("agent.sock");
        signal(agent, "STOP");
        node.plane.endedSession = 1;
        node.plane.fenced = true;
        node.plane.reports.clear();
        node.plane.desire(Gang.stop(1));
        try (SocketChannel rank = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            byte[] header =
                    "{\"op\":\"save\",\"rank\":0,\"step\":5,\"payloadBytes\":3}".getBytes(StandardCharsets.UTF_8);
            rank.write(ByteBuffer.allocate(4 + header.length + 3)
                    .putInt(header.length)
                    .put(header)
                    .put(new byte[3])
                    .flip());
            Await.pause(Duration.ofSeconds(1));
            assertThat(node.livingRanks()).isPositive();
            signal(agent, "CONT");
            Await.until("registers again", () -> node.plane.registrations.size() == 1);
            node.await(1, MemberPhase.GONE);
        }
        assertThat(node.plane.reports).allMatch(report -> report.session() == 2);
        assertThat(node.livingRanks()).isZero();
        assertThat(node.plane.shards).isEmpty();
        try (Stream<Path> stored = Files.walk(node.store)) {
            assertThat(stored.map(Path::toString)).noneMatch(path -> path.endsWith(".shard"));
        }
    }

    /** Nobody waits for ever for what was said in a session that had ended. */
    @Test
    void theRevisionIsAcknowledgedAgainInANewSession() throws Exception {
        node.startInside();
        Await.until("first report", () -> !node.plane.reports.isEmpty());
        node.plane.endedSession = 1;
        node.plane.reports.clear();
        NodeReport report = Await.untilFound(
                "a report in session 2", () -> node.plane.reports.stream().findFirst());
        assertThat(report.session()).isEqualTo(2);
        assertThat(report.acknowledgedRevision()).isEqualTo(node.plane.desired.revision());
    }

    private static void signal(Process process, String signal) throws Exception {
        int done = new ProcessBuilder(List.of("kill", "-" + signal, Long.toString(process.pid())))
                .start()
                .waitFor();
        assertThat(done).isZero();
    }
}

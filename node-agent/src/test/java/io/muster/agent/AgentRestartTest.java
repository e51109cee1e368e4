package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.disk.SafeFile;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent as a process of its own: killed, stopped, started again, cut off from the control plane. */
class AgentRestartTest {

    private static final String COUNTING =
            "i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i+1)); [ -e stop ] && exit 3; sleep 0.02; done";

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

    @Test
    void aKilledAgentsSuccessorAdoptsItsRanksAndKnowsTheirExit() throws Exception {
        Process first = node.startProcess();
        AttemptReport running = node.run(node.gang().sh(COUNTING).checkpoints(10, 0), 1);
        long pid = running.ranks().getFirst().pid();
        Await.until("output in the store", () -> Files.exists(node.storedLog(1, 0)));
        first.destroyForcibly().waitFor();
        assertThat(ProcessHandle.of(pid)).isPresent();
        Await.pause(Duration.ofMillis(500));
        int before = node.plane.reports.size();

        node.startProcess();
        Await.until("the successor reports", () -> node.plane.reports.size() > before);
        RankReport adopted = Await.untilFound(
                        "adopted",
                        () -> node.plane.latest(Gang.JOB, 1).filter(report -> report.phase() == MemberPhase.RUNNING))
                .ranks()
                .getFirst();
        assertThat(adopted.pid()).isEqualTo(pid);
        assertThat(adopted.startedAt()).isEqualTo(running.ranks().getFirst().startedAt());
        assertThat(node.folder(1).resolve("agent.sock")).exists();

        Files.createFile(node.folder(1).resolve("stop"));
        AttemptReport exited = node.await(1, MemberPhase.EXITED);
        assertThat(exited.ranks().getFirst().exit().code()).isEqualTo(3);
        List<String> local = Files.readAllLines(node.folder(1).resolve("rank-0.log"));
        assertThat(Files.readAllLines(node.storedLog(1, 0))).isEqualTo(local);
        assertThat(node.plane.registrations).hasSize(1);
    }

    @Test
    void anExitWhileTheAgentIsAwayIsKnownToItsSuccessor() throws Exception {
        Process first = node.startProcess();
        node.run(node.gang().sh("sleep 1; echo last words; exit 9"), 1);
        first.destroyForcibly().waitFor();
        Await.pause(Duration.ofSeconds(2));
        node.startProcess();
        var exit = node.await(1, MemberPhase.EXITED).ranks().getFirst().exit();
        assertThat(exit.code()).isEqualTo(9);
        assertThat(exit.lastLine()).isEqualTo("last words");
        assertThat(node.storedLog(1, 0)).hasContent("last words");
    }

    /** Ranks that a dead machine took along are nobody's error; without that they are what they look like, killed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheMachineTookAlongIsTold(boolean machineDied) throws Exception {
        Process first = node.startProcess();
        node.run(node.gang().sh("sleep 1000"), 1);
        first.destroyForcibly().waitFor();
        node.killRanks();
        if (machineDied) {
            SafeFile.deleteTree(
                    Path.of(Files.readString(node.home.resolve("memory.path")).strip()));
        }
        node.startProcess();
        RankExit exit = node.await(1, MemberPhase.EXITED).ranks().getFirst().exit();
        assertThat(exit.code()).isEqualTo(137);
        assertThat(exit.cause()).isEqualTo(machineDied ? ExitCause.AGENT_DOWN : ExitCause.SIGNAL);
        assertThat(String.valueOf(exit.lastLine()).contains("started anew")).isEqualTo(machineDied);
    }

    private static final String SAVES = """
            import json, os, signal, socket, struct, time
            signal.signal(signal.SIGTERM, signal.SIG_IGN if os.environ['IGNORES'] == '1' else signal.SIG_DFL)
            s = socket.socket(socket.AF_UNIX)
            s.connect(os.environ['MUSTER_AGENT_SOCKET'])
            head = json.dumps({'op': 'save', 'rank': 0, 'step': 5, 'payloadBytes': 9}).encode()
            s.sendall(struct.pack('>I', len(head)) + head + b'the shard')
            size = struct.unpack('>I', s.recv(4))[0]
            print(s.recv(size).decode(), flush=True)
            open('saved', 'w').close()
            time.sleep(1000)
            """;

    /** In the phase that lets ranks time to end, and when they are gone. */
    @ParameterizedTest
    @EnumSource(names = {"STOPPING", "GONE"})
    void shardsAndOutputThatWereNotStoredYetSurviveTheAgentsRestart(MemberPhase phase) throws Exception {
        node.plane.checkpointAway = true;
        Files.writeString(node.store.resolve("logs"), "a file where a folder should be");
        Process first = node.startProcess();
        Gang gang = node.gang()
                .python(SAVES)
                .env("IGNORES", phase == MemberPhase.STOPPING ? "1" : "0")
                .checkpoints(5, 0)
                .graceSeconds(60);
        node.run(gang, 1);
        Await.until("saved", () -> Files.exists(node.folder(1).resolve("saved")));
        node.plane.desire(Gang.stop(1));
        node.await(1, phase);
        first.destroyForcibly().waitFor();

        node.startProcess();
        node.await(1, MemberPhase.GONE);
        node.plane.desire();
        Await.pause(Duration.ofMillis(700));
        assertThat(node.folder(1)).as("not forgotten before it is stored").exists();
        node.plane.checkpointAway = false;
        Files.delete(node.store.resolve("logs"));
        Await.until("forgotten", () -> !Files.exists(node.folder(1)));
        assertThat(node.plane.shards.getLast().shards().getFirst().sizeBytes()).isEqualTo(9);
        assertThat(Files.readString(node.storedLog(1, 0))).contains("\"staged\":true");
    }

    @Test
    void sigtermEndsRanksTellsSoAndLeavesNothing() throws Exception {
        Process agent = node.startProcess();
        node.run(node.gang().sh("trap '' TERM; setsid sleep 200 & while :; do sleep 1; done"), 1);
        long begun = System.nanoTime();
        agent.destroy();
        assertThat(agent.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(node.livingRanks()).isZero();
        AttemptReport last = node.plane.latest(Gang.JOB, 1).orElseThrow();
        assertThat(last.phase()).isEqualTo(MemberPhase.GONE);
        assertThat(last.ranks().getFirst().exit().cause()).isEqualTo(ExitCause.AGENT_DOWN);
        System.out.println("graceful end took " + (System.nanoTime() - begun) / 1_000_000 + " ms");

        int before = node.plane.reports.size();
        node.startProcess();
        Await.until("the successor reports", () -> node.plane.reports.size() > before);
        assertThat(node.plane.latest(Gang.JOB, 1).orElseThrow().phase()).isEqualTo(MemberPhase.GONE);
        assertThat(node.livingRanks()).isZero();
    }

    @Test
    void ranksOutliveTheControlPlanesAbsence() throws Exception {
        node.startInside();
        AttemptReport running = node.run(node.gang().sh(COUNTING), 1);
        node.plane.away();
        Await.pause(Duration.ofSeconds(5));
        assertThat(ProcessHandle.of(running.ranks().getFirst().pid())).isPresent();
        node.plane.back();
        int before = node.plane.reports.size();
        Await.until("reports go on", () -> node.plane.reports.size() > before + 1);
        assertThat(node.plane.latest(Gang.JOB, 1).orElseThrow().phase()).isEqualTo(MemberPhase.RUNNING);
        Files.createFile(node.folder(1).resolve("stop"));
        node.await(1, MemberPhase.EXITED);
    }

    @Test
    void anotherIncarnationStartsAndStopsNothing() throws Exception {
        node.startInside();
        node.run(node.gang().sh("sleep 100"), 1);
        node.plane.desireExactly(new DesiredState(
                "local", "inc-2", 500, List.of(Gang.stop(1), node.gang().preflight(2))));
        Await.pause(Duration.ofSeconds(3));
        assertThat(node.livingRanks()).isPositive();
        assertThat(node.plane.latest(Gang.JOB, 2)).isEmpty();
        assertThat(node.plane.reports.getLast().incarnation()).isEqualTo("inc-1");
    }

    @Test
    void aLowerRevisionIsNotObeyed() throws Exception {
        node.startInside();
        node.run(node.gang().sh("sleep 100"), 1);
        node.plane.desireExactly(new DesiredState("local", "inc-1", 1, List.of(Gang.stop(1))));
        Await.pause(Duration.ofSeconds(1));
        assertThat(node.livingRanks()).isPositive();
    }

    @Test
    void twoAgentsNeverShareAFolder() throws Exception {
        node.startInside();
        Process second = node.startProcess();
        assertThat(second.waitFor(15, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(2);
    }

    @Test
    void wrongSettingsAreAllSaid() throws Exception {
        node.env.put("MUSTER_NODE", "Not A Node");
        node.env.put("MUSTER_AGENT_PORT", "seventy");
        Process agent = node.startProcess();
        assertThat(agent.waitFor(15, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.exitValue()).isEqualTo(2);
        assertThat(Files.readString(folder.resolve("agent.log")))
                .contains("MUSTER_NODE")
                .contains("MUSTER_AGENT_PORT is 'seventy'");
    }
}

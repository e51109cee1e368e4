package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankExit;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An attempt from preflight to gone, with real processes. */
class AttemptLifeTest {

    @TempDir
    Path folder;

    private AgentFixture node;

    @BeforeEach
    void start() throws IOException {
        node = new AgentFixture(folder);
        node.startInside();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private RankExit exitOf(Gang gang) {
        node.run(gang, 1);
        return node.await(1, MemberPhase.EXITED).ranks().getFirst().exit();
    }

    @Test
    void runsToItsEndAndIsForgotten() throws IOException {
        AttemptReport running = node.run(node.gang().sh("echo hello; exit 0").processes(2), 1);
        assertThat(running.ranks()).extracting(rank -> rank.rank()).containsExactly(0, 1);
        AttemptReport exited = node.await(1, MemberPhase.EXITED);
        assertThat(exited.ranks()).allSatisfy(rank -> {
            assertThat(rank.exit().code()).isZero();
            assertThat(rank.exit().cause()).isEqualTo(ExitCause.COMPLETED);
        });
        assertThat(exited.checks()).extracting(CheckResult::check).contains("gpu_count", "tcp_pairs", "fd_limit");
        assertThat(Files.readString(node.storedLog(1, 1))).isEqualTo("hello\n");
        assertThat(node.plane.preflights).isNotEmpty();

        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);
        node.plane.desire();
        Await.until("folder removed", () -> !Files.exists(node.folder(1)));
    }

    @Test
    void aTracebackIsAUserErrorWithItsLastLine() {
        RankExit exit = exitOf(node.gang().python("raise ValueError('no data at /x')"));
        assertThat(exit.cause()).isEqualTo(ExitCause.USER_ERROR);
        assertThat(exit.code()).isEqualTo(1);
        assertThat(exit.lastLine()).isEqualTo("ValueError: no data at /x");
    }

    @Test
    void aSignalIsASignal() {
        RankExit exit = exitOf(node.gang().sh("kill -SEGV $$"));
        assertThat(exit.cause()).isEqualTo(ExitCause.SIGNAL);
        assertThat(exit.signal()).isEqualTo(11);
        assertThat(exit.code()).isEqualTo(139);
    }

    @Test
    void killingTheWholeGroupIsSignalNine() throws IOException {
        AttemptReport running = node.run(node.gang().command("sleep", "60"), 1);
        new ProcessBuilder("kill", "-9", "--", "-" + running.ranks().getFirst().pid()).start();
        RankExit exit = node.await(1, MemberPhase.EXITED).ranks().getFirst().exit();
        assertThat(exit.cause()).isEqualTo(ExitCause.SIGNAL);
        assertThat(exit.signal()).isEqualTo(9);
    }

    @Test
    void aCommandThatIsNotThereCannotBeStarted() {
        RankExit exit = exitOf(node.gang().command("no-such-trainer", "--x"));
        assertThat(exit.cause()).isEqualTo(ExitCause.START_FAILED);
        assertThat(exit.lastLine()).contains("no-such-trainer").contains("No such file");
    }

    @Test
    void aWorkingDirectoryThatIsNotThereIsSaid() {
        RankExit exit = exitOf(node.gang().workingDir("/no/such/folder"));
        assertThat(exit.cause()).isEqualTo(ExitCause.START_FAILED);
        assertThat(exit.lastLine()).contains("/no/such/folder");
    }

    @Test
    void shellBuiltinsAreNoPrograms() {
        RankExit exit = exitOf(node.gang().command("exit", "0"));
        assertThat(exit.cause()).isEqualTo(ExitCause.START_FAILED);
    }

    @Test
    void lostConnectionIsTold() {
        RankExit exit = exitOf(node.gang().python("import socket; socket.create_connection(('127.0.0.1', 1))"));
        assertThat(exit.cause()).isEqualTo(ExitCause.LOST_CONNECTION);
    }

    @Test
    void stopEndsDoubleForksAndOwnSessions() {
        AttemptReport running = node.run(
                node.gang()
                        .sh("(setsid sleep 300 & ) ; (nohup sleep 301 >/dev/null 2>&1 &) ;"
                                + " setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & sleep 302")
                        .graceSeconds(1),
                1);
        Await.until("all of the tree started", () -> node.livingRanks() >= 6);
        assertThat(running.ranks().getFirst().pid()).isPositive();
        node.plane.desire(Gang.stop(1));
        AttemptReport gone = node.await(1, MemberPhase.GONE);
        assertThat(node.livingRanks()).isZero();
        assertThat(gone.ranks().getFirst().exit().cause()).isEqualTo(ExitCause.STOPPED);
    }

    @Test
    void aProcessThatForgetsItsEnvironmentAndSessionIsEndedToo() {
        node.run(
                node.gang()
                        .sh("env -i setsid sh -c 'sleep 401 & sleep 402' & sleep 403")
                        .graceSeconds(1),
                1);
        Await.pause(java.time.Duration.ofMillis(500));
        long strangers = countCommand("sleep 401");
        assertThat(strangers).isEqualTo(1);
        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);
        assertThat(countCommand("sleep 401")).isZero();
    }

    /** It ends before its parent has been looked at once, so only what it cannot shed shows whose it is. */
    @Test
    void whatShedsEnvironmentSessionAndParentsIsEndedBeforeGoneIsSaid() {
        node.run(
                node.gang()
                        .sh("cd / && env -i setsid -f sleep 404.25 >/dev/null 2>&1 </dev/null; sleep 405")
                        .graceSeconds(1),
                1);
        Await.until("it is there", () -> countCommand("sleep 404.25") == 1);
        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);
        assertThat(countCommand("sleep 404.25")).isZero();
    }

    @Test
    void anOrphanOfAnEndedRankIsEndedToo() {
        node.run(node.gang().sh("env -i setsid -f sleep 404.75"), 1);
        node.await(1, MemberPhase.EXITED);
        assertThat(countCommand("sleep 404.75")).isEqualTo(1);
        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);
        assertThat(countCommand("sleep 404.75")).isZero();
    }

    @Test
    void lastWordsThatNobodyCouldStoreAreMadePlain() {
        RankExit exit = exitOf(node.gang().sh("printf 'a\\0b\\033[31m\\377\\n'; exit 1"));
        assertThat(exit.cause()).isEqualTo(ExitCause.USER_ERROR);
        assertThat(exit.lastLine()).isEqualTo("a\uFFFDb\uFFFD[31m\uFFFD");
    }

    @Test
    void pipesInPlaceOfOutputAndExitCodeHangNobody() {
        RankExit exit = exitOf(
                node.gang().sh("rm -f rank-0.log; mkfifo rank-0.log rank-0.exit.tmp rank-0.exit; kill -9 $PPID"));
        assertThat(exit.cause()).isEqualTo(ExitCause.SIGNAL);
        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);
        node.plane.desire();
        Await.until("folder removed", () -> !Files.exists(node.folder(1)));
    }

    private static long countCommand(String line) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").endsWith(line))
                .count();
    }

    @Test
    void theEnvironmentIsBuiltFromNothing() throws IOException {
        node.run(node.gang().sh("env | sort").env("MY_FLAG", "a b").env("PATH", "/usr/bin:/bin"), 1);
        node.await(1, MemberPhase.EXITED);
        TreeMap<String, String> env = new TreeMap<>();
        for (String line : Files.readAllLines(node.storedLog(1, 0))) {
            int equals = line.indexOf('=');
            env.put(line.substring(0, equals), line.substring(equals + 1));
        }
        assertThat(env.keySet())
                .containsExactlyInAnyOrder(
                        "PATH",
                        "LANG",
                        "HOME",
                        "TMPDIR",
                        "PYTHONUNBUFFERED",
                        "RANK",
                        "WORLD_SIZE",
                        "LOCAL_RANK",
                        "LOCAL_WORLD_SIZE",
                        "GROUP_RANK",
                        "MASTER_ADDR",
                        "MASTER_PORT",
                        "CUDA_VISIBLE_DEVICES",
                        "MUSTER_JOB_ID",
                        "MUSTER_JOB_NAME",
                        "MUSTER_ATTEMPT",
                        "MUSTER_NODE",
                        "MUSTER_NODE_RANK",
                        "MUSTER_NODE_ADDRESS",
                        "MUSTER_NODES_FILE",
                        "MUSTER_AGENT_SOCKET",
                        "MUSTER_RESUME_STEP",
                        "MUSTER_CHECKPOINT_EVERY_STEPS",
                        "MUSTER_CHECKPOINT_EVERY_SECONDS",
                        "MY_FLAG",
                        "PWD");
        assertThat(env)
                .containsEntry("MY_FLAG", "a b")
                .containsEntry("CUDA_VISIBLE_DEVICES", "0,1,2,3")
                .containsEntry("MASTER_ADDR", AgentFixture.ADDRESS)
                .containsEntry("MUSTER_RESUME_STEP", "")
                .containsEntry("HOME", node.folder(1).toString());
    }

    @Test
    void torchrunGetsOneProcessWithItsOwnVariables() throws IOException {
        node.run(node.gang().torchrun().processes(4).sh("env | grep -E '^(PET_|RANK|CUDA)' | sort"), 1);
        AttemptReport exited = node.await(1, MemberPhase.EXITED);
        assertThat(exited.ranks()).hasSize(1);
        assertThat(Files.readAllLines(node.storedLog(1, 0)))
                .hasSize(6)
                .contains("CUDA_VISIBLE_DEVICES=0,1,2,3", "PET_NNODES=1", "PET_NPROC_PER_NODE=4", "PET_NODE_RANK=0");
    }

    @Test
    void stopWorksBeforeAnythingRan() {
        node.plane.desire(node.gang().preflight(1));
        Await.until("known", () -> node.plane.latest(Gang.JOB, 1).isPresent());
        node.plane.desire(Gang.stop(1));
        assertThat(node.await(1, MemberPhase.GONE).ranks()).isEmpty();
    }

    @Test
    void stopOfAnUnknownAttemptIsConfirmed() {
        node.plane.desire(Gang.stop(7));
        assertThat(node.await(7, MemberPhase.GONE).ranks()).isEmpty();
    }

    @Test
    void runOfAnUnknownAttemptIsReportedAsLostAndStartsNothing() {
        node.plane.desire(node.gang().sh("sleep 100").run(3, 5000));
        RankExit exit = node.await(3, MemberPhase.EXITED).ranks().getFirst().exit();
        assertThat(exit.cause()).isEqualTo(ExitCause.AGENT_DOWN);
        assertThat(node.livingRanks()).isZero();
    }

    @Test
    void aHigherAttemptEndsTheLowerOneFirst() {
        Gang gang = node.gang().sh("sleep 100");
        node.run(gang, 1);
        node.plane.desire(gang.preflight(2));
        node.await(2, MemberPhase.PREFLIGHT_PASSED);
        assertThat(node.plane.latest(Gang.JOB, 1).orElseThrow().phase()).isEqualTo(MemberPhase.GONE);
        assertThat(node.livingRanks()).isZero();
    }

    @Test
    void anEmptyOrderKillsNothing() {
        node.run(node.gang().sh("sleep 100"), 1);
        node.plane.desire();
        Await.pause(java.time.Duration.ofSeconds(1));
        assertThat(node.plane.latest(Gang.JOB, 1).orElseThrow().phase()).isEqualTo(MemberPhase.RUNNING);
        assertThat(node.livingRanks()).isPositive();
    }

    @Test
    void aMissingGpuFailsThePreflightAndSaysWhich() throws IOException {
        Files.writeString(node.home.resolve("gpu-faults.json"), "{\"missing\":[2]}");
        node.plane.desire(node.gang().preflight(1));
        AttemptReport failed = node.await(1, MemberPhase.PREFLIGHT_FAILED);
        CheckResult gpus = failed.checks().stream()
                .filter(check -> check.check().equals("gpu_count"))
                .findFirst()
                .orElseThrow();
        assertThat(gpus.status()).isEqualTo(CheckStatus.FAIL);
        assertThat(gpus.message()).contains("3 GPUs answer, 4 were expected; missing: [2]");
        assertThat(List.copyOf(node.plane.preflights)).isNotNull();
    }
}

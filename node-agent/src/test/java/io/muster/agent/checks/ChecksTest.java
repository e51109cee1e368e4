package io.muster.agent.checks;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.http.Json;
import io.muster.agent.inventory.SimulatedGpus;
import io.muster.agent.restore.Search;
import io.muster.agent.settings.AgentSettings.Driver;
import io.muster.agent.settings.AgentSettings.GpuChoice;
import io.muster.contract.agent.GangMember;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.ProbeResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every check with a good and a bad fixture. */
class ChecksTest {

    private static final NodeId SELF = new NodeId("r1-n1");

    @TempDir
    Path folder;

    private static CheckStatus status(Check check) throws Exception {
        return check.look().status();
    }

    @Test
    void gpuCount() throws Exception {
        SimulatedGpus driver = new SimulatedGpus(
                SELF,
                new GpuChoice(Driver.SIMULATED, 4, "H", "1"),
                folder.resolve("faults"),
                Json.mapper(),
                InstantSource.system());
        assertThat(status(new GpuCount(driver, 4))).isEqualTo(CheckStatus.PASS);
        Files.writeString(folder.resolve("faults"), "{\"missing\":[1,3]}");
        Finding bad = new GpuCount(driver, 4).look();
        assertThat(bad.status()).isEqualTo(CheckStatus.FAIL);
        assertThat(bad.message()).contains("[1, 3]");
        Files.delete(folder.resolve("faults"));
        Finding more = new GpuCount(driver, 3).look();
        assertThat(more.status()).isEqualTo(CheckStatus.WARN);
        assertThat(more.message()).contains("4 GPUs answer, 3 were expected");
        Files.writeString(folder.resolve("faults"), "{\"missing\":[0]}");
        assertThat(status(new GpuCount(driver, 3)))
                .as("as many, but one is missing")
                .isEqualTo(CheckStatus.FAIL);
    }

    @Test
    void leftoverProcesses() throws Exception {
        assertThat(status(new LeftoverProcesses(List::of))).isEqualTo(CheckStatus.PASS);
        Finding bad = new LeftoverProcesses(() -> List.of("pid 7 of /x")).look();
        assertThat(bad.status()).isEqualTo(CheckStatus.FAIL);
        assertThat(bad.message()).contains("pid 7 of /x");
    }

    @ParameterizedTest
    @CsvSource({
        "2147483648,100000000000,PASS",
        "2147483647,100000000000,WARN",
        "1073741824,100000000000,WARN",
        "1073741823,100000000000,FAIL",
        "99999999,1000000000,WARN",
        "900000000,100000000000,FAIL",
        "100000000,1000000000,PASS",
        "1,1000000000,FAIL"
    })
    void diskSpace(long usable, long total, CheckStatus expected) throws Exception {
        assertThat(status(new DiskSpace(() -> new DiskSpace.Space(usable, total))))
                .isEqualTo(expected);
    }

    @Test
    void writeReadAndStore() throws Exception {
        WriteRead good =
                new WriteRead("disk_write_read", folder.resolve("p"), 1 << 20, Duration.ofSeconds(5), new Random(1));
        assertThat(status(good)).isEqualTo(CheckStatus.PASS);
        assertThat(folder.resolve("p")).isEmptyDirectory();
        Path blocked = Files.writeString(folder.resolve("file"), "x");
        assertThat(status(new WriteRead("store_reachable", blocked, 1000, Duration.ofSeconds(5), new Random(1))))
                .isEqualTo(CheckStatus.FAIL);
    }

    @Test
    void anAdvisoryCheckOnlyWarns() throws Exception {
        record Fixed(Finding finding, boolean hangs) implements Check {
            @Override
            public String name() {
                return "store_reachable";
            }

            @Override
            public Duration limit() {
                return Duration.ofMillis(200);
            }

            @Override
            public Finding look() throws IOException, InterruptedException {
                if (hangs) {
                    Thread.sleep(60_000);
                }
                if (finding.status() == CheckStatus.UNKNOWN) {
                    throw new IOException("broken");
                }
                return finding;
            }
        }
        assertThat(status(new Advisory(new Fixed(Finding.pass("all well"), false), "so what")))
                .isEqualTo(CheckStatus.PASS);
        for (Fixed bad : List.of(
                new Fixed(Finding.fail("no store"), false),
                new Fixed(Finding.unknown(""), false),
                new Fixed(Finding.pass(""), true))) {
            CheckResult found = new CheckRunner(InstantSource.system())
                    .run(List.of(new Advisory(bad, "so what")))
                    .getFirst();
            assertThat(found.status()).isEqualTo(CheckStatus.WARN);
            assertThat(found.message()).endsWith("so what");
            assertThat(found.required()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({"1073741824,PASS", "1073741823,WARN", "536870912,WARN", "536870911,FAIL", "0,UNKNOWN"})
    void memory(long available, CheckStatus expected) throws Exception {
        assertThat(status(new Memory(() -> available))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0,PASS", "-900,PASS", "1001,WARN", "-5000,WARN", "5001,FAIL", "-6000,FAIL"})
    void clockOffset(long millis, CheckStatus expected) throws Exception {
        assertThat(status(new ClockOffset(() -> OptionalLong.of(millis)))).isEqualTo(expected);
    }

    @Test
    void clockOffsetWithoutAnAnswerIsUnknown() throws Exception {
        assertThat(status(new ClockOffset(OptionalLong::empty))).isEqualTo(CheckStatus.UNKNOWN);
    }

    private static ProbeResult result(GangMember peer, boolean reached) {
        return new ProbeResult(null, SELF, peer.node(), reached, 1, reached ? "ok" : "no way to " + peer.node());
    }

    @Test
    void tcpPairs() throws Exception {
        List<GangMember> members = List.of(
                new GangMember(0, SELF, "127.1.1.1", 1, ""),
                new GangMember(1, new NodeId("r1-n2"), "127.1.1.2", 1, ""),
                new GangMember(2, new NodeId("r1-n3"), "127.1.1.3", 1, ""));
        TcpPairs good = new TcpPairs(SELF, members, (peer, limit) -> result(peer, true));
        assertThat(status(good)).isEqualTo(CheckStatus.PASS);
        assertThat(good.pairs()).hasSize(2);
        List<String> tries = new ArrayList<>();
        TcpPairs bad = new TcpPairs(SELF, members, (peer, limit) -> {
            synchronized (tries) {
                tries.add(peer.node().value());
            }
            return result(peer, peer.nodeRank() == 1);
        });
        Finding finding = bad.look();
        assertThat(finding.status()).isEqualTo(CheckStatus.FAIL);
        assertThat(finding.message()).contains("1 of 2").contains("no way to r1-n3");
        assertThat(tries).containsExactlyInAnyOrder("r1-n2", "r1-n3", "r1-n3");
    }

    @Test
    void nameResolution() throws Exception {
        assertThat(status(new NameResolution("me", name -> "127.0.0.1"))).isEqualTo(CheckStatus.PASS);
        assertThat(status(new NameResolution("me", name -> {
                    if (name.equals("me")) {
                        throw new IOException("unknown");
                    }
                    return "127.0.0.1";
                })))
                .isEqualTo(CheckStatus.WARN);
        assertThat(status(new NameResolution("me", name -> {
                    throw new IOException("unknown");
                })))
                .isEqualTo(CheckStatus.FAIL);
    }

    @ParameterizedTest
    @CsvSource({"1024,PASS", "1023,FAIL", "9223372036854775807,PASS"})
    void fdLimit(long limit, CheckStatus expected) throws Exception {
        assertThat(status(new FdLimit(() -> limit))).isEqualTo(expected);
    }

    @Test
    void agentVersion() throws Exception {
        assertThat(status(new AgentVersionMatch("1", Optional.empty()))).isEqualTo(CheckStatus.SKIPPED);
        assertThat(status(new AgentVersionMatch("1", Optional.of("1")))).isEqualTo(CheckStatus.PASS);
        assertThat(status(new AgentVersionMatch("1", Optional.of("2")))).isEqualTo(CheckStatus.FAIL);
    }

    @Test
    void restoreVerified() throws Exception {
        RestoreDecision fresh = new RestoreDecision(RestoreVerdict.FRESH, null, 0, List.of(), "none");
        assertThat(status(verified(fresh, 1, whole()))).isEqualTo(CheckStatus.SKIPPED);
        RestoreDecision refused = new RestoreDecision(RestoreVerdict.REFUSED, null, 0, List.of(), "no");
        assertThat(status(verified(refused, 1, whole()))).isEqualTo(CheckStatus.FAIL);
        assertThat(status(verified(restored(3), 2, whole()))).isEqualTo(CheckStatus.PASS);
        assertThat(status(verified(restored(1), 2, whole()))).isEqualTo(CheckStatus.FAIL);
    }

    private static RestoreDecision restored(int ranks) {
        List<StoredShard> shards = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            shards.add(new StoredShard(rank, "p" + rank, 1, "x", List.of()));
        }
        return new RestoreDecision(RestoreVerdict.RESTORED, new CheckpointId("chk_0000000001"), 5, shards, "newest");
    }

    private static Search whole() {
        return new Search.Whole("memory", () -> {
            throw new IOException("not read here");
        });
    }

    private static RestoreVerified verified(RestoreDecision restore, int ranks, Search... answers) {
        Iterator<Search> next = List.of(answers).iterator();
        Search last = answers[answers.length - 1];
        return new RestoreVerified(
                restore, 0, ranks, Duration.ofSeconds(1), shard -> next.hasNext() ? next.next() : last);
    }

    @Test
    void aShardWithoutAWholeCopyMakesTheCheckpointDamaged() throws Exception {
        RestoreVerified check = verified(restored(2), 2, whole(), new Search.Damaged("bad hash"));
        Finding found = check.look();
        assertThat(found.status()).isEqualTo(CheckStatus.FAIL);
        assertThat(found.message()).contains("chk_0000000001", "rank 1", "bad hash");
        assertThat(check.damaged()).isEqualTo(new CheckpointId("chk_0000000001"));
    }

    @Test
    void aCopyThatCannotBeReachedIsLookedForAgainAndNeverCalledDamaged() throws Exception {
        RestoreVerified comesBack = verified(restored(1), 1, new Search.Unreachable("away"), whole());
        assertThat(status(comesBack)).isEqualTo(CheckStatus.PASS);
        RestoreVerified staysAway = verified(restored(1), 1, new Search.Unreachable("away"));
        Finding found = staysAway.look();
        assertThat(found.status()).isEqualTo(CheckStatus.UNKNOWN);
        assertThat(found.message()).contains("cannot be reached", "rank 0", "away");
        assertThat(staysAway.damaged()).isNull();
        assertThat(comesBack.damaged()).isNull();
    }

    @Test
    void damageIsSaidAlsoWhileAnotherShardCannotBeReached() throws Exception {
        RestoreVerified check =
                verified(restored(2), 2, new Search.Unreachable("away"), new Search.Damaged("bad hash"));
        assertThat(status(check)).isEqualTo(CheckStatus.FAIL);
        assertThat(check.damaged()).isNotNull();
    }

    /** A store that does not answer cannot be interrupted either. */
    @Test
    void aCheckThatHangsIsNotBegunAgainUntilItHasEnded() throws Exception {
        Semaphore begun = new Semaphore(0);
        Semaphore answer = new Semaphore(0);
        record Stuck(Semaphore begun, Semaphore answer) implements Check {
            @Override
            public String name() {
                return "store_reachable";
            }

            @Override
            public Duration limit() {
                return Duration.ofMillis(100);
            }

            @Override
            public Finding look() {
                begun.release();
                answer.acquireUninterruptibly();
                return Finding.pass("answered");
            }
        }
        CheckRunner runner = new CheckRunner(InstantSource.system());
        List<Check> checks = List.of(new Stuck(begun, answer), new Memory(() -> 4L << 30));
        for (int time = 0; time < 5; time++) {
            List<CheckResult> results = runner.run(checks);
            assertThat(results).extracting(CheckResult::status).containsExactly(CheckStatus.UNKNOWN, CheckStatus.PASS);
            assertThat(results.getFirst().message()).contains(time == 0 ? "did not end within" : "still hangs");
        }
        assertThat(begun.availablePermits()).isEqualTo(1);
        answer.release(100);
        for (int look = 0; look < 500 && begun.availablePermits() == 1; look++) {
            runner.run(checks);
        }
        assertThat(begun.availablePermits()).isEqualTo(2);
    }

    @Test
    void lateAndBrokenChecksAreUnknownAndTheOthersUnharmed() throws Exception {
        record Fixed(String name, Duration limit, boolean hangs) implements Check {
            @Override
            public Finding look() throws IOException, InterruptedException {
                if (hangs) {
                    Thread.sleep(60_000);
                }
                throw new IOException("broken");
            }
        }
        List<CheckResult> results = new CheckRunner(InstantSource.system())
                .run(List.of(
                        new Fixed("late", Duration.ofMillis(100), true),
                        new Fixed("broken", Duration.ofSeconds(1), false),
                        new Memory(() -> 4L << 30)));
        assertThat(results)
                .extracting(CheckResult::status)
                .containsExactly(CheckStatus.UNKNOWN, CheckStatus.UNKNOWN, CheckStatus.PASS);
        assertThat(results.getFirst().lets()).isFalse();
    }
}

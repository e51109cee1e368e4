package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.http.Json;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Two agents in two racks: copies before the commit, restores from the nearest whole copy. */
class PeerTiersTest {

    private static final String KEY = "key-of-attempt";

    @TempDir
    Path folder;

    private AgentFixture one;
    private AgentFixture two;
    private List<GangMember> members;

    @BeforeEach
    void start() throws IOException {
        one = new AgentFixture(folder, "r1-n1", "127.9.1.1");
        two = new AgentFixture(folder, "r2-n1", "127.9.2.1");
        members = List.of(
                new GangMember(0, new NodeId("r1-n1"), one.address, one.port, "r1"),
                new GangMember(1, new NodeId("r2-n1"), two.address, two.port, "r2"));
        one.startInside();
        two.startInside();
    }

    @AfterEach
    void stop() throws IOException {
        bringStoreBack();
        one.close();
        two.close();
    }

    private Gang gang(AgentFixture node) {
        return node.gang().sh("sleep 100").checkpoints(5, 0).members(members).peers(node == one ? 0 : 1, KEY);
    }

    private void runBoth(int attempt) {
        int port = passed(one, gang(one), attempt);
        passed(two, gang(two), attempt);
        one.plane.desire(gang(one).run(attempt, port));
        two.plane.desire(gang(two).run(attempt, port));
        for (AgentFixture node : List.of(one, two)) {
            node.await(attempt, MemberPhase.RUNNING);
        }
    }

    private static int passed(AgentFixture node, Gang gang, int attempt) {
        node.plane.desire(gang.preflight(attempt));
        AttemptReport ended = Await.untilFound(
                "preflight of " + node.name,
                () -> node.plane
                        .latest(Gang.JOB, attempt)
                        .filter(report -> report.phase().compareTo(MemberPhase.PREFLIGHT_PASSED) >= 0));
        assertThat(ended.phase()).as(ended.checks().toString()).isEqualTo(MemberPhase.PREFLIGHT_PASSED);
        Integer port = ended.offeredMasterPort();
        return port == null ? 0 : port;
    }

    /** As if its mount were broken: whatever is asked of the store fails. */
    private void takeStoreAway() throws IOException {
        Files.move(folder.resolve("store"), folder.resolve("store-away"));
        Files.writeString(folder.resolve("store"), "no folder");
    }

    private void bringStoreBack() throws IOException {
        if (Files.exists(folder.resolve("store-away"))) {
            Files.delete(folder.resolve("store"));
            Files.move(folder.resolve("store-away"), folder.resolve("store"));
        }
    }

    private static byte[] bytes(int size, long seed) {
        byte[] content = new byte[size];
        new Random(seed).nextBytes(content);
        return content;
    }

    private static String sha(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    private record Told(JsonNode answer, byte[] payload) {}

    private static byte[] talk(AgentFixture node, int attempt, String header, byte[] payload) throws IOException {
        return ask(node, attempt, header, payload).payload();
    }

    private static Told ask(AgentFixture node, int attempt, String header, byte[] payload) throws IOException {
        Path socket = node.folder(attempt).resolve("agent.sock");
        try (SocketChannel channel = SocketChannel.open(java.net.UnixDomainSocketAddress.of(socket))) {
            byte[] text = header.getBytes(StandardCharsets.UTF_8);
            channel.write(ByteBuffer.allocate(4).putInt(text.length).flip());
            channel.write(ByteBuffer.wrap(text));
            ByteBuffer left = ByteBuffer.wrap(payload);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            JsonNode answer = Json.mapper()
                    .readTree(read(channel, read(channel, 4).getInt()).array());
            assertThat(answer.path("ok").booleanValue()).as(answer.toString()).isTrue();
            byte[] followed =
                    read(channel, answer.path("payloadBytes").asInt(0)).array();
            return new Told(answer, followed);
        }
    }

    private static ByteBuffer read(SocketChannel channel, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
            continue;
        }
        return buffer.flip();
    }

    private void save(AgentFixture node, int attempt, long step, byte[] shard) throws IOException {
        String header = "{\"op\":\"save\",\"rank\":" + (node == one ? 0 : 1) + ",\"step\":" + step
                + ",\"payloadBytes\":" + shard.length + "}";
        talk(node, attempt, header, shard);
    }

    private static ReportShards awaitReport(AgentFixture node, long step, int holders, boolean stored) {
        return Await.untilFound(
                "step " + step + " told with " + holders + " holders, stored " + stored,
                () -> node.plane.shards.stream()
                        .filter(report -> report.step() == step)
                        .filter(report -> report.shards().getFirst().holders().size() == holders)
                        .filter(report -> (report.shards().getFirst().path() != null) == stored)
                        .findFirst());
    }

    private static void awaitCommit(AgentFixture node, long step) {
        awaitReport(node, step, 2, false);
        Await.until(
                node.name + " knows that step " + step + " is committed",
                () -> phase(node, step).equals("COMMITTED"));
    }

    private static String phase(AgentFixture node, long step) {
        try {
            return ask(node, 1, "{\"op\":\"save-status\",\"step\":" + step + "}", new byte[0])
                    .answer()
                    .path("phase")
                    .asString("");
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Test
    void aShardIsCommittedByItsCopyAtThePeerWhileTheStoreIsAway() throws Exception {
        runBoth(1);
        takeStoreAway();
        for (long step = 5; step <= 30; step += 5) {
            save(one, 1, step, bytes(3 << 20, step));
            save(two, 1, step, bytes(1000, step));
            awaitCommit(one, step);
            awaitCommit(two, step);
        }
        StoredShard told = awaitReport(one, 30, 2, false).shards().getFirst();
        assertThat(told.holders()).extracting(holder -> holder.node().value()).containsExactly("r1-n1", "r2-n1");
        assertThat(told.sha256()).isEqualTo(sha(bytes(3 << 20, 30)));
        Await.until(
                "the newest two stay on both nodes, own and peer's, and of the own what is to be stored first",
                () -> held(one).equals(steps(0, 10, 25, 30, 5, 1, 25, 30))
                        && held(two).equals(steps(0, 25, 30, 1, 10, 25, 30, 5)));
        bringStoreBack();
        // of those that wait, whichever is due first; once one is DURABLE everywhere, the newest
        awaitReport(one, 30, 2, true);
        Await.until("then only the newest two", () -> held(one).equals(steps(0, 25, 30, 1, 25, 30)));
    }

    /** Ranks, each with its steps after it. */
    private static List<String> steps(int... ranksAndSteps) {
        List<String> names = new ArrayList<>();
        int rank = 0;
        for (int each : ranksAndSteps) {
            if (each < 2) {
                rank = each;
            } else {
                names.add("rank-" + rank + "-attempt-1-step-" + each);
            }
        }
        return names;
    }

    /** Why the peer has no copies. */
    enum NoPeer {
        UNREACHABLE,
        REFUSES
    }

    @ParameterizedTest
    @EnumSource
    void withoutCopiesAtThePeerEveryRankOfTheNodeIsStoredAndTheCommitIsDurable(NoPeer why) throws Exception {
        Gang first = gang(one).processes(2).peers(0, why == NoPeer.REFUSES ? "another key" : KEY);
        Gang second = gang(two).processes(2);
        int port = passed(one, first, 1);
        passed(two, second, 1);
        one.plane.desire(first.run(1, port));
        two.plane.desire(second.run(1, port));
        one.await(1, MemberPhase.RUNNING);
        two.await(1, MemberPhase.RUNNING);
        if (why == NoPeer.UNREACHABLE) {
            two.stopInside();
        }
        for (int rank = 0; rank < 2; rank++) {
            byte[] shard = bytes(1000, rank);
            talk(one, 1, "{\"op\":\"save\",\"rank\":" + rank + ",\"step\":5,\"payloadBytes\":1000}", shard);
        }
        ReportShards report = Await.untilFound(
                "both ranks in the store",
                () -> one.plane.shards.stream()
                        .filter(told -> told.shards().stream().allMatch(shard -> shard.path() != null))
                        .findFirst());
        assertThat(report.shards()).extracting(StoredShard::rank).containsExactly(0, 1);
        assertThat(report.shards()).allSatisfy(shard -> {
            assertThat(shard.holders()).hasSize(1);
            assertThat(folder.resolve("store").resolve(shard.path())).hasSize(1000);
        });
        Await.until("committed, though no peer has a copy", () -> one.plane.durable.contains(5L));
    }

    private static List<String> held(AgentFixture node) {
        try (Stream<Path> files = Files.walk(
                Path.of(Files.readString(node.home.resolve("memory.path")).strip()))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("rank-") && !name.endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException changing) {
            return List.of();
        }
    }

    /** Ends the attempt on both nodes as a recovery does. */
    private void endBoth(int attempt) {
        for (AgentFixture node : List.of(one, two)) {
            node.plane.desire(Gang.stop(attempt));
            node.await(attempt, MemberPhase.GONE);
        }
    }

    private RestoreDecision restoring(byte[] shard, @Nullable String path) throws Exception {
        StoredShard stored = new StoredShard(
                0,
                path,
                shard.length,
                sha(shard),
                List.of(
                        new ShardHolder(new NodeId("r1-n1"), one.address, one.port),
                        new ShardHolder(new NodeId("r2-n1"), two.address, two.port)));
        return new RestoreDecision(
                RestoreVerdict.RESTORED, new CheckpointId("chk_0000000005"), 5, List.of(stored), "newest");
    }

    private static final String PATH = "checkpoints/ckpt/research/" + Gang.JOB + "/chk_0000000005/rank-0.shard";

    /** Step 5 is in both memories and in the store, then both nodes are told to begin attempt 2. */
    private byte[] saveThenEnd() throws Exception {
        runBoth(1);
        byte[] shard = bytes(2 << 20, 5);
        save(one, 1, 5, shard);
        save(two, 1, 5, bytes(10, 1));
        awaitReport(one, 5, 2, true);
        awaitReport(two, 5, 2, true);
        endBoth(1);
        two.plane.desire(gang(two).preflight(2));
        two.await(2, MemberPhase.PREFLIGHT_PASSED);
        return shard;
    }

    private AttemptReport begin(byte[] shard, @Nullable String path, MemberPhase expected) throws Exception {
        one.plane.desire(gang(one).restore(restoring(shard, path)).preflight(2));
        return one.await(2, expected);
    }

    private String where(AttemptReport report) {
        return report.checks().stream()
                .filter(check -> check.check().equals("restore_verified"))
                .findFirst()
                .orElseThrow()
                .message();
    }

    private void ranksGet(byte[] shard, AttemptReport passed, @Nullable String path) throws Exception {
        one.plane.desire(gang(one).restore(restoring(shard, path)).run(2, passed.offeredMasterPort()));
        one.await(2, MemberPhase.RUNNING);
        assertThat(talk(one, 2, "{\"op\":\"restore\",\"rank\":0}", new byte[0])).isEqualTo(shard);
    }

    @Test
    void whatOwnMemoryHasIsRestoredFromThereThoughAgentStoreAndPeerAreNoHelp() throws Exception {
        byte[] shard = saveThenEnd();
        takeStoreAway();
        two.stopInside();
        one.stopInside();
        one.startInside();
        one.plane.desire(new Gang(one.name, one.address, one.port)
                .sh("sleep 100")
                .restore(restoring(shard, PATH))
                .preflight(2));
        AttemptReport passed = one.await(2, MemberPhase.PREFLIGHT_PASSED);
        assertThat(where(passed)).endsWith("from memory");
    }

    @Test
    void fromThePeersMemoryWithTheStoreUnreadable() throws Exception {
        byte[] shard = saveThenEnd();
        wipeMemory(one);
        takeStoreAway();
        AttemptReport passed = begin(shard, PATH, MemberPhase.PREFLIGHT_PASSED);
        assertThat(where(passed)).endsWith("from r2-n1");
        assertThat(passed.checks())
                .filteredOn(check -> check.check().equals("store_reachable"))
                .singleElement()
                .satisfies(check -> assertThat(check.status()).isEqualTo(CheckStatus.WARN));
        ranksGet(shard, passed, PATH);
        assertThat(held(one)).contains("rank-0-attempt-1-step-5");
    }

    @Test
    void fromTheStoreWhenNoMemoryHasIt() throws Exception {
        byte[] shard = saveThenEnd();
        wipeMemory(one);
        damage(two, Damage.EMPTY);
        AttemptReport passed = begin(shard, PATH, MemberPhase.PREFLIGHT_PASSED);
        assertThat(where(passed)).endsWith("from store");
        takeStoreAway();
        ranksGet(shard, passed, PATH);
    }

    /** What may happen to a copy. */
    enum Damage {
        FLIPPED,
        TRUNCATED,
        LONGER,
        EMPTY,
        SWAPPED,
        MISSING
    }

    private static void damage(Path file, Damage how) throws IOException {
        byte[] content = Files.readAllBytes(file);
        switch (how) {
            case FLIPPED -> content[content.length / 2] ^= 1;
            case TRUNCATED -> content = java.util.Arrays.copyOf(content, content.length - 1);
            case LONGER -> content = java.util.Arrays.copyOf(content, content.length + 1);
            case EMPTY -> content = new byte[0];
            case SWAPPED -> content = bytes(content.length, 99);
            case MISSING -> {
                Files.delete(file);
                return;
            }
        }
        Files.write(file, content);
    }

    private static void damage(AgentFixture node, Damage how) throws IOException {
        Path root = Path.of(Files.readString(node.home.resolve("memory.path")).strip());
        damage(root.resolve(Gang.JOB + "/rank-0-attempt-1-step-5"), how);
    }

    private static void wipeMemory(AgentFixture node) throws IOException {
        damage(node, Damage.MISSING);
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedCopyInAnyTierIsPassedOverAndIfAllAreTheCheckpointIsNamed(Damage how) throws Exception {
        byte[] shard = saveThenEnd();
        damage(one, how);
        damage(two, how);
        damage(folder.resolve("store").resolve(PATH), how);
        AttemptReport failed = begin(shard, PATH, MemberPhase.PREFLIGHT_FAILED);
        assertThat(failed.damagedCheckpoint()).isEqualTo(new CheckpointId("chk_0000000005"));
        one.stopInside();
        one.startInside();
        Await.until(
                "named also by the agent's next life",
                () -> one.plane
                        .latest(Gang.JOB, 2)
                        .filter(report -> report.phase() == MemberPhase.PREFLIGHT_FAILED)
                        .filter(report -> report.damagedCheckpoint() != null)
                        .isPresent());
    }

    @Test
    void aStoreThatIsAwayIsWaitedForAndThenNothingIsDamaged() throws Exception {
        byte[] shard = saveThenEnd();
        damage(one, Damage.FLIPPED);
        damage(two, Damage.FLIPPED);
        takeStoreAway();
        AttemptReport failed = begin(shard, PATH, MemberPhase.PREFLIGHT_FAILED);
        assertThat(failed.damagedCheckpoint()).isNull();
        assertThat(failed.checks())
                .filteredOn(check -> check.check().equals("restore_verified"))
                .singleElement()
                .satisfies(check -> {
                    assertThat(check.status()).isEqualTo(CheckStatus.UNKNOWN);
                    assertThat(check.message()).contains("cannot be reached", "rank 0");
                });
    }
}

package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.agent.http.Json;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.node.CheckStatus;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A rank's conversation with its agent, over the real socket, up to the shard in the store. */
class RankTalkTest {

    private static final JsonMapper JSON = Json.mapper();

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

    /** The protocol from the other side. */
    private static final class Client implements AutoCloseable {
        private final SocketChannel channel;

        Client(Path socket) throws IOException {
            channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        }

        void send(String header, byte[] payload) throws IOException {
            byte[] text = header.getBytes(StandardCharsets.UTF_8);
            raw(ByteBuffer.allocate(4 + text.length)
                    .putInt(text.length)
                    .put(text)
                    .array());
            raw(payload);
        }

        void raw(byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        byte[] read(int count) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(count);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw new EOFException("closed");
                }
            }
            return buffer.array();
        }

        JsonNode answer() throws IOException {
            return JSON.readTree(read(ByteBuffer.wrap(read(4)).getInt()));
        }

        JsonNode ask(String header) throws IOException {
            send(header, new byte[0]);
            return answer();
        }

        JsonNode save(int rank, long step, byte[] shard) throws IOException {
            send(
                    "{\"op\":\"save\",\"rank\":" + rank + ",\"step\":" + step + ",\"payloadBytes\":" + shard.length
                            + "}",
                    shard);
            return answer();
        }

        String phase(long step) throws IOException {
            return ask("{\"op\":\"save-status\",\"step\":" + step + "}")
                    .path("phase")
                    .asString();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private Client client(Gang gang) throws IOException {
        node.run(gang, 1);
        return new Client(node.folder(1).resolve("agent.sock"));
    }

    private static byte[] bytes(int size, long seed) {
        byte[] content = new byte[size];
        new Random(seed).nextBytes(content);
        return content;
    }

    private void awaitPhase(Client client, long step, String phase) {
        Await.until("step " + step + " in " + phase, () -> {
            try {
                return client.phase(step).equals(phase);
            } catch (IOException broken) {
                throw new AssertionError(broken);
            }
        });
    }

    @Test
    void helloProgressAndResultReachTheReport() throws IOException {
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            JsonNode hello =
                    client.ask("{\"op\":\"hello\",\"protocol\":1,\"rank\":0,\"localRank\":0,\"pid\":1,\"x\":2}");
            assertThat(hello.path("ok").booleanValue()).isTrue();
            assertThat(hello.path("worldSize").intValue()).isEqualTo(1);
            assertThat(hello.path("restore").path("verdict").asString()).isEqualTo("FRESH");
            assertThat(hello.path("checkpoint").path("everySteps").intValue()).isEqualTo(5);
            client.ask(
                    "{\"op\":\"progress\",\"rank\":0,\"step\":7,\"totalSteps\":9,\"metrics\":{\"loss\":1.5,\"bad\":NaN}}");
            client.ask("{\"op\":\"result\",\"rank\":0,\"result\":{\"loss\":0.25}}");
            AttemptReport report = Await.untilFound(
                    "result told", () -> node.plane.latest(Gang.JOB, 1).filter(found -> found.result() != null));
            assertThat(report.ranks().getFirst().clientReady()).isTrue();
            assertThat(report.progress().step()).isEqualTo(7);
            assertThat(report.progress().metrics()).containsExactly(Map.entry("loss", 1.5));
            assertThat(report.result()).containsEntry("loss", 0.25);
            assertThat(client.ask("{\"op\":\"next-save\",\"step\":7}")
                            .path("nextStep")
                            .longValue())
                    .isEqualTo(10);
        }
    }

    @Test
    void aSavedShardIsCommittedWithItsHash() throws Exception {
        byte[] shard = bytes(3 << 20, 1);
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            assertThat(client.save(0, 5, shard).path("staged").booleanValue()).isTrue();
            awaitPhase(client, 5, "COMMITTED");
            StoredShard stored = node.plane.shards.getLast().shards().getFirst();
            assertThat(stored.path())
                    .isEqualTo("checkpoints/ckpt/research/" + Gang.JOB + "/chk_0000000005/rank-0.shard");
            assertThat(Files.readAllBytes(node.store.resolve(stored.path()))).isEqualTo(shard);
            assertThat(stored.sha256())
                    .isEqualTo(HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(shard)));
            assertThat(client.phase(6)).isEqualTo("UNKNOWN");
        }
    }

    @Test
    void aCheckpointNeedsAllRanksOfTheNode() throws IOException {
        try (Client client = client(node.gang().sh("sleep 100").processes(2).checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
            Await.pause(java.time.Duration.ofMillis(500));
            assertThat(node.plane.shards).isEmpty();
            client.save(1, 5, bytes(1000, 2));
            awaitPhase(client, 5, "COMMITTED");
            assertThat(node.plane.shards.getFirst().shards()).hasSize(2);
        }
    }

    @Test
    void twoSlotsThenBusyWhileTheServiceIsAwayAndAllIsStoredAfterwards() throws IOException {
        node.plane.checkpointAway = true;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            assertThat(client.save(0, 5, bytes(1000, 1)).path("ok").booleanValue())
                    .isTrue();
            assertThat(client.save(0, 10, bytes(1000, 2)).path("ok").booleanValue())
                    .isTrue();
            JsonNode busy = client.save(0, 15, bytes(1000, 3));
            assertThat(busy.path("error").asString()).isEqualTo("BUSY");
            assertThat(client.phase(5)).isEqualTo("STAGED");
            node.plane.checkpointAway = false;
            awaitPhase(client, 10, "COMMITTED");
            assertThat(client.phase(5)).as("the newest goes first").isIn("COMMITTED", "ABANDONED");
            assertThat(client.save(0, 20, bytes(1000, 3)).path("ok").booleanValue())
                    .isTrue();
        }
    }

    @Test
    void aStoreThatTakesNothingIsTriedAgain() throws IOException {
        Path checkpoints = node.store.resolve("checkpoints");
        Files.writeString(checkpoints, "a file where a folder should be");
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
            Await.pause(java.time.Duration.ofMillis(600));
            assertThat(client.phase(5)).isEqualTo("LOCAL");
            Files.delete(checkpoints);
            awaitPhase(client, 5, "COMMITTED");
        }
    }

    /** The placement that makes the node a member may be on its way to the service. */
    @Test
    void aRefusalThatMayPassIsAskedAgain() throws IOException {
        node.plane.retryableRefusals = 3;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
            awaitPhase(client, 5, "COMMITTED");
        }
    }

    @Test
    void aShardForWhichMemoryHasNoRoomIsRefusedAndTheNextOneIsTaken() throws IOException {
        Await.until("joined", () -> !node.plane.heartbeats.isEmpty());
        node.stopInside();
        node.env.put("MUSTER_MEMORY_BYTES", "5000");
        node.startInside();
        node.plane.phaseAfterReport = CheckpointPhase.LOCAL;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            assertThat(client.save(0, 5, bytes(4000, 1)).path("ok").booleanValue())
                    .isTrue();
            JsonNode full = client.save(0, 10, bytes(2000, 1));
            assertThat(full.path("error").asString()).isEqualTo("NO_SPACE");
            assertThat(full.path("message").asString()).contains("4000 of 5000", "2000", "MUSTER_MEMORY_BYTES");
            assertThat(client.save(0, 15, bytes(900, 1)).path("ok").booleanValue())
                    .isTrue();
        }
    }

    @Test
    void aFenceEndsSavingForThisAttempt() throws IOException {
        node.plane.fenced = true;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
            awaitPhase(client, 5, "ABANDONED");
            assertThat(client.save(0, 10, bytes(1000, 1)).path("error").asString())
                    .isEqualTo("FENCED");
        }
    }

    @Test
    void abandonedByTheServiceIsTold() throws IOException {
        node.plane.phaseAfterReport = CheckpointPhase.ABANDONED;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
            awaitPhase(client, 5, "ABANDONED");
        }
    }

    @Test
    void localUntilTheOthersAreSafeThenCommitted() throws IOException {
        node.plane.phaseAfterReport = CheckpointPhase.LOCAL;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
            awaitPhase(client, 5, "LOCAL");
            node.plane.phaseAfterReport = CheckpointPhase.COMMITTED;
            awaitPhase(client, 5, "COMMITTED");
        }
    }

    @Test
    void aRankThatDiesWhileSavingLeavesTheOlderSlot() throws IOException {
        node.plane.checkpointAway = true;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            byte[] older = bytes(2000, 1);
            client.save(0, 5, older);
            try (Client dying = new Client(node.folder(1).resolve("agent.sock"))) {
                dying.send("{\"op\":\"save\",\"rank\":0,\"step\":10,\"payloadBytes\":1000000}", bytes(400_000, 2));
            }
            Await.pause(java.time.Duration.ofMillis(300));
            assertThat(client.phase(10)).isEqualTo("UNKNOWN");
            node.plane.checkpointAway = false;
            awaitPhase(client, 5, "COMMITTED");
            assertThat(client.save(0, 15, bytes(100, 3)).path("ok").booleanValue())
                    .isTrue();
            assertThat(Files.readAllBytes(node.store.resolve(
                            "checkpoints/ckpt/research/" + Gang.JOB + "/chk_0000000005/rank-0.shard")))
                    .isEqualTo(older);
        }
    }

    @Test
    void stagedShardsAreStoredThoughTheRanksAreGone() throws IOException {
        node.plane.checkpointAway = true;
        try (Client client = client(node.gang().sh("sleep 100").checkpoints(5, 0))) {
            client.save(0, 5, bytes(1000, 1));
        }
        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);
        node.plane.desire();
        Await.pause(java.time.Duration.ofMillis(500));
        assertThat(node.folder(1)).exists();
        node.plane.checkpointAway = false;
        Await.until("stored", () -> !node.plane.shards.isEmpty());
        Await.until("forgotten", () -> !Files.exists(node.folder(1)));
    }

    private Gang restoring(byte[] shard, String sha256) throws IOException {
        Path path = node.store.resolve("checkpoints/old/rank-0.shard");
        Files.createDirectories(path.getParent());
        Files.write(path, shard);
        return node.gang()
                .sh("sleep 100")
                .checkpoints(5, 0)
                .restore(new RestoreDecision(
                        RestoreVerdict.RESTORED,
                        new CheckpointId("chk_0000000099"),
                        40,
                        java.util.List.of(
                                new StoredShard(0, "checkpoints/old/rank-0.shard", shard.length, sha256, List.of())),
                        "newest"));
    }

    @Test
    void restoreSendsTheVerifiedShard() throws Exception {
        byte[] shard = bytes(1 << 20, 7);
        String sha =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(shard));
        try (Client client = client(restoring(shard, sha))) {
            JsonNode answer = client.ask("{\"op\":\"restore\",\"rank\":0}");
            assertThat(answer.path("step").longValue()).isEqualTo(40);
            assertThat(answer.path("sha256").asString()).isEqualTo(sha);
            assertThat(client.read(answer.path("payloadBytes").intValue())).isEqualTo(shard);
            assertThat(client.phase(1)).isEqualTo("UNKNOWN");
        }
    }

    @Test
    void aDamagedShardFailsThePreflightBeforeAnyRankStarts() throws IOException {
        node.plane.desire(restoring(bytes(1000, 7), "00".repeat(32)).preflight(1));
        AttemptReport failed = node.await(1, MemberPhase.PREFLIGHT_FAILED);
        assertThat(failed.checks())
                .filteredOn(check -> check.check().equals("restore_verified"))
                .singleElement()
                .satisfies(check -> {
                    assertThat(check.status()).isEqualTo(CheckStatus.FAIL);
                    assertThat(check.message()).contains("chk_0000000099", "rank 0", "has hash");
                });
    }

    @Test
    void wrongRequestsGetCodesAndTheConversationGoesOn() throws IOException {
        try (Client client = client(node.gang().sh("sleep 100"))) {
            Map<String, String> wrong = new LinkedHashMap<>();
            wrong.put("{\"op\":\"fly\"}", "UNKNOWN_OP");
            wrong.put("{}", "UNKNOWN_OP");
            wrong.put("{\"op\":\"hello\",\"protocol\":2,\"rank\":0}", "PROTOCOL");
            wrong.put("{\"op\":\"hello\",\"protocol\":1,\"rank\":1}", "WRONG_RANK");
            wrong.put("{\"op\":\"hello\",\"protocol\":1,\"rank\":\"0\"}", "BAD_REQUEST");
            wrong.put("{\"op\":\"restore\",\"rank\":0}", "NOTHING_TO_RESTORE");
            wrong.put("{\"op\":\"save\",\"rank\":0,\"step\":1}", "BAD_REQUEST");
            wrong.put("{\"op\":\"next-save\",\"step\":1}", "DISABLED");
            wrong.put("{\"op\":\"result\",\"rank\":0,\"result\":[1]}", "BAD_REQUEST");
            wrong.put(
                    "{\"op\":\"result\",\"rank\":0,\"result\":{\"x\":" + "[".repeat(32) + "]".repeat(32) + "}}",
                    "BAD_REQUEST");
            wrong.put("{\"op\":\"result\",\"rank\":0,\"result\":{\"x\":\"\\u0000\"}}", "BAD_REQUEST");
            wrong.put("{\"op\":\"progress\",\"rank\":0,\"step\":1,\"metrics\":{\"\":1}}", "BAD_REQUEST");
            wrong.put("{\"op\":\"result\",\"rank\":0,\"result\":{\"x\":\"" + "y".repeat(20_000) + "\"}}", "TOO_LARGE");
            for (Map.Entry<String, String> each : wrong.entrySet()) {
                JsonNode answer = client.ask(each.getKey());
                assertThat(answer.path("ok").booleanValue()).isFalse();
                assertThat(answer.path("error").asString()).as(each.getKey()).isEqualTo(each.getValue());
                assertThat(answer.path("message").asString()).isNotBlank();
            }
            assertThat(client.save(0, 1, bytes(100_000, 1)).path("error").asString())
                    .isEqualTo("DISABLED");
            assertThat(client.phase(1)).isEqualTo("UNKNOWN");
        }
    }

    @Test
    void malformedFramesEndOnlyTheirConnection() throws IOException {
        try (Client good = client(node.gang().sh("sleep 100"))) {
            Path socket = node.folder(1).resolve("agent.sock");
            byte[][] malformed = {
                {0, 0, 0, 0},
                {0, 1, 0, 1},
                {-1, -1, -1, -1},
                {0, 0, 0, 3, 'a', 'b', 'c'},
                {0, 0, 0, 2, '[', ']'},
                "\0\0\0\026{\"payloadBytes\":-5   }".getBytes(StandardCharsets.ISO_8859_1),
            };
            for (byte[] frame : malformed) {
                try (Client bad = new Client(socket)) {
                    bad.raw(frame);
                    assertThat(bad.answer().path("error").asString()).isEqualTo("BAD_FRAME");
                    assertThatThrownBy(() -> bad.read(1)).isInstanceOf(IOException.class);
                }
            }
            assertThat(good.phase(1)).isEqualTo("UNKNOWN");
        }
    }
}

package io.muster.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.muster.agent.Gang;
import io.muster.agent.http.Json;
import io.muster.agent.memory.HeldShard;
import io.muster.agent.memory.HeldShard.Origin;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.memory.ShardMemory.Admission;
import io.muster.agent.peer.PeerRequest.Verb;
import io.muster.agent.probe.PeerListener;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The agent's port for peers, with members, strangers and broken conversations. */
class PeerDeskTest {

    private static final JsonMapper JSON = Json.mapper();
    private static final NodeId SELF = new NodeId("r2-n1");
    private static final NodeId OTHER = new NodeId("r1-n1");
    private static final String ADDRESS = "127.9.2.1";
    private static final String KEY = "the key";
    private static final Challenges CHALLENGES = new Challenges();
    private static final int MOST = 4 << 20;

    @TempDir
    Path folder;

    private ShardMemory memory;
    private ShardMemory otherMemory;
    private PeerListener listener;
    private PeerCalls calls;
    private GangTask task;
    private volatile boolean left;

    @BeforeEach
    void open() throws IOException {
        memory = ShardMemory.open(folder.resolve("self"), 2L * MOST, JSON);
        otherMemory = ShardMemory.open(folder.resolve("other"), 2L * MOST, JSON);
        task = new Gang(SELF.value(), ADDRESS, 1)
                .members(List.of(
                        new GangMember(0, OTHER, "127.9.1.1", 1, "r1"), new GangMember(1, SELF, ADDRESS, 1, "r2")))
                .peers(1, KEY)
                .task(null);
        PeerDesk desk = new PeerDesk(
                SELF,
                memory,
                new PeerDesk.Gangs() {
                    @Override
                    public Optional<GangTask> task(JobId job, int attempt) {
                        return attempt == 3 && job.equals(Gang.JOB) && !left ? Optional.of(task) : Optional.empty();
                    }

                    @Override
                    public Optional<String> key(JobId job) {
                        return left && job.equals(Gang.JOB) ? Optional.of(KEY) : Optional.empty();
                    }
                },
                MOST,
                JSON,
                Duration.ofSeconds(1));
        listener = PeerListener.open(ADDRESS, 0, SELF, () -> 1, desk);
        calls = new PeerCalls(OTHER, "127.9.1.1", otherMemory, JSON, Duration.ofSeconds(1));
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
    }

    private static byte[] bytes(int size) {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private static String sha(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (java.security.NoSuchAlgorithmException never) {
            throw new AssertionError(never);
        }
    }

    private static PeerRequest request(Verb verb, int attempt, int rank, byte[] shard) {
        return new PeerRequest(
                verb, Gang.JOB, attempt, rank, 5, shard.length, sha(shard), List.of(5L), CHALLENGES.next(), "");
    }

    /** A conversation made by hand. */
    private final class Talk implements AutoCloseable {

        private final Socket socket = new Socket();
        private final DataInputStream in;
        private final DataOutputStream out;
        private final String challenge;

        Talk(String from) throws IOException {
            this(from, 64 << 10);
        }

        Talk(String from, int receiveBuffer) throws IOException {
            socket.setReceiveBufferSize(receiveBuffer);
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.connect(new InetSocketAddress(ADDRESS, listener.port()), 2000);
            socket.setSoTimeout(8000);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1024));
            out = new DataOutputStream(socket.getOutputStream());
            String greeting = Hop.line(in, 200);
            assertThat(greeting).startsWith("MUSTER r2-n1 1 ");
            challenge = greeting.substring(15);
        }

        PeerAnswer ask(PeerRequest request, String key) throws IOException {
            return sent(request.with(PeerProof.of(key, challenge, request.words())));
        }

        PeerAnswer sent(Object request) throws IOException {
            Hop.write(out, request, JSON);
            return Hop.read(in, PeerAnswer.class, JSON);
        }

        boolean isClosedByPeer() {
            try {
                return in.read() < 0;
            } catch (java.net.SocketTimeoutException open) {
                return false;
            } catch (IOException reset) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private PeerAnswer ask(PeerRequest request, String key) throws IOException {
        try (Talk talk = new Talk("127.9.1.1")) {
            return talk.ask(request, key);
        }
    }

    private HeldShard holdAtOther(byte[] content) throws IOException {
        HeldShard wanted = new HeldShard(Gang.JOB, 3, 0, 5, Origin.OWN, content.length, "", null);
        var granted = (Admission.Granted) otherMemory.admit(wanted);
        return granted.place().fill(Channels.newChannel(new ByteArrayInputStream(content)));
    }

    private GangMember keeper() {
        return new GangMember(1, SELF, ADDRESS, listener.port(), "r2");
    }

    private static PeerCalls.Party party(String key) {
        return new PeerCalls.Party(Gang.JOB, 3, key);
    }

    private StoredShard stored(byte[] content) {
        return new StoredShard(0, null, content.length, sha(content), List.of());
    }

    private PeerCalls.Fetched fetch(byte[] content, String key) {
        return calls.fetch(
                party(key),
                new ShardHolder(SELF, ADDRESS, listener.port()),
                stored(content),
                5,
                new CheckpointId("chk_0000000001"));
    }

    private void assertNothingIsHeld() throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("self"))) {
            assertThat(all.filter(Files::isRegularFile)).isEmpty();
        }
        assertThat(memory.jobs()).isEmpty();
    }

    @Test
    void aMembersShardIsKeptReadBackAndGivenBack() throws IOException {
        byte[] content = bytes((3 << 20) + 17);
        HeldShard shard = holdAtOther(content);
        calls.keep(party(KEY), keeper(), shard, List.of(5L));
        assertThat(memory.find(Gang.JOB, 0, content.length, sha(content)))
                .hasValueSatisfying(kept -> assertThat(kept.origin()).isEqualTo(Origin.PEER));
        calls.keep(party(KEY), keeper(), shard, List.of(5L));
        otherMemory.drop(shard);
        assertThat(fetch(content, KEY)).isInstanceOfSatisfying(PeerCalls.Fetched.Whole.class, whole -> {
            assertThat(otherMemory.damage(whole.held())).isEmpty();
            assertThat(whole.held().checkpoint()).isEqualTo(new CheckpointId("chk_0000000001"));
        });
    }

    @Test
    void aStrangerGetsOneAndTheSameRefusalAndNothingElse() throws IOException {
        byte[] content = bytes(1000);
        calls.keep(party(KEY), keeper(), holdAtOther(content), List.of(5L));
        List<PeerAnswer> answers = new ArrayList<>();
        for (Verb verb : Verb.values()) {
            answers.add(ask(request(verb, 3, 0, content), "wrong key"));
            answers.add(ask(request(verb, 2, 0, content), KEY));
            answers.add(ask(request(verb, 4, 0, content), KEY));
        }
        assertThat(answers).allMatch(answer -> answer.equals(answers.getFirst()));
        assertThat(answers.getFirst().code()).isEqualTo("NOT_A_MEMBER");
        assertThat(answers.getFirst().proof()).isEmpty();
        assertThat(fetch(content, "wrong key")).isInstanceOf(PeerCalls.Fetched.Unreachable.class);
        assertThatThrownBy(() -> calls.keep(party("wrong key"), keeper(), holdAtOther(bytes(10)), List.of()))
                .isInstanceOf(IOException.class);
        assertThat(memory.find(Gang.JOB, 0, content.length, sha(content)))
                .as("no stranger makes it drop anything")
                .isPresent();
    }

    /** A gang that was placed anew on other nodes fetches from those that it has left; these keep nothing more for it. */
    @Test
    void aGangThatHasLeftStillFetchesWhatIsHeldHere() throws IOException {
        byte[] content = bytes(1000);
        calls.keep(party(KEY), keeper(), holdAtOther(content), List.of(5L));
        left = true;
        assertThat(ask(request(Verb.FETCH, 4, 0, content), KEY).ok()).isTrue();
        assertThat(ask(request(Verb.FETCH, 4, 0, content), "wrong key").code()).isEqualTo("NOT_A_MEMBER");
        assertThat(ask(request(Verb.FETCH, 4, -1, content), KEY).code()).isEqualTo("NOT_YOURS");
        assertThat(ask(request(Verb.KEEP, 4, 0, content), KEY).code()).isEqualTo("NOT_A_MEMBER");
    }

    @Test
    void withoutAKeyNobodyIsAMember() throws IOException {
        task = new Gang(SELF.value(), ADDRESS, 1)
                .members(task.members())
                .peers(1, "")
                .task(null);
        PeerRequest request = request(Verb.FETCH, 3, 0, bytes(10));
        try (Talk talk = new Talk("127.9.1.1")) {
            assertThat(talk.sent(request.with("")).code()).isEqualTo("NOT_A_MEMBER");
        }
    }

    /** What was overheard is good for nothing: neither again, nor for another question. */
    @Test
    void aProofIsGoodForItsOwnConversationAndQuestion() throws IOException {
        byte[] content = bytes(1000);
        calls.keep(party(KEY), keeper(), holdAtOther(content), List.of(5L));
        PeerRequest fetch = request(Verb.FETCH, 3, 0, content);
        PeerRequest proven;
        try (Talk talk = new Talk("127.9.1.1")) {
            proven = fetch.with(PeerProof.of(KEY, talk.challenge, fetch.words()));
            assertThat(talk.sent(proven).ok()).isTrue();
        }
        try (Talk again = new Talk("127.9.1.1")) {
            assertThat(again.sent(proven).code()).isEqualTo("NOT_A_MEMBER");
        }
        try (Talk other = new Talk("127.9.1.1")) {
            PeerRequest keep = request(Verb.KEEP, 3, 0, content);
            String proof = PeerProof.of(KEY, other.challenge, fetch.words());
            assertThat(other.sent(keep.with(proof)).code()).isEqualTo("NOT_A_MEMBER");
        }
    }

    @Test
    void alsoMembersGetOnlyWhatIsTheirs() throws IOException {
        byte[] content = bytes(1000);
        assertThat(ask(request(Verb.KEEP, 3, 1, content), KEY).code())
                .as("this node's own rank")
                .isEqualTo("NOT_YOURS");
        assertThat(ask(request(Verb.KEEP, 3, 2, content), KEY).code()).isEqualTo("NOT_YOURS");
        assertThat(ask(request(Verb.KEEP, 3, -1, content), KEY).code()).isEqualTo("NOT_YOURS");
        assertThat(ask(request(Verb.FETCH, 3, 0, content), KEY).code()).isEqualTo("NOT_HELD");
        PeerRequest large =
                new PeerRequest(Verb.KEEP, Gang.JOB, 3, 0, 5, MOST + 1L, "h", List.of(), CHALLENGES.next(), "");
        assertThat(ask(large, KEY).code()).isEqualTo("TOO_LARGE");
        memory.admit(new HeldShard(Gang.JOB, 3, 1, 5, Origin.OWN, 2L * MOST - 10, "", null));
        PeerAnswer full = ask(request(Verb.KEEP, 3, 0, content), KEY);
        assertThat(full.code()).isEqualTo("FULL");
        assertThat(full.message()).contains("MUSTER_MEMORY_BYTES");
    }

    @Test
    void bytesThatAreNotTheShardAreNotKept() throws IOException {
        byte[] content = bytes(1000);
        byte[] others = bytes(1000);
        others[500] ^= 1;
        try (Talk talk = new Talk("127.9.1.1")) {
            assertThat(talk.ask(request(Verb.KEEP, 3, 0, content), KEY).ok()).isTrue();
            Hop.send(Channels.newChannel(new ByteArrayInputStream(others)), 1000, talk.out, () -> {});
            assertThat(Hop.read(talk.in, PeerAnswer.class, JSON).code()).isEqualTo("DAMAGED");
        }
        assertNothingIsHeld();
        ByteArrayOutputStream hop = new ByteArrayOutputStream();
        Hop.send(Channels.newChannel(new ByteArrayInputStream(content)), 1000, new DataOutputStream(hop), () -> {});
        byte[] changed = hop.toByteArray();
        changed[700] ^= 1;
        byte[] cut = java.util.Arrays.copyOf(hop.toByteArray(), 600);
        byte[] tooMuch = hop.toByteArray();
        tooMuch[2] = 8;
        for (byte[] wire : new byte[][] {changed, cut, tooMuch}) {
            try (Talk talk = new Talk("127.9.1.1")) {
                assertThat(talk.ask(request(Verb.KEEP, 3, 0, content), KEY).ok())
                        .isTrue();
                talk.out.write(wire);
                talk.out.flush();
                talk.socket.shutdownOutput();
                assertThat(talk.isClosedByPeer()).isTrue();
            }
        }
        assertNothingIsHeld();
        assertThat(memory.admit(new HeldShard(Gang.JOB, 3, 1, 5, Origin.OWN, 2L * MOST, "", null)))
                .as("all room is free again")
                .isInstanceOf(Admission.Granted.class);
    }

    @Test
    void whatIsDamagedHereIsNotGivenAway() throws IOException {
        byte[] content = bytes(1000);
        calls.keep(party(KEY), keeper(), holdAtOther(content), List.of(5L));
        Path file = folder.resolve("self").resolve(Gang.JOB + "/rank-0-attempt-3-step-5");
        Files.write(file, new byte[] {1}, StandardOpenOption.APPEND);
        assertThat(fetch(content, KEY)).isInstanceOf(PeerCalls.Fetched.Useless.class);
    }

    @Test
    void nonsenseEndsOnlyItsOwnConversation() throws IOException {
        byte[][] nonsense = {
            {-1, -1, -1, -1},
            {0, 0, 0, 0},
            {0, 0, 0x10, 1},
            {0, 0, 0, 2, '{', '}'},
            {0, 0, 0, 2, '[', ']'},
            {0, 0, 0, 4, 'n', 'u', 'l', 'l'},
            "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
            ("\0\0\0\061{\"verb\":\"KEEP\",\"job\":\"../../etc\",\"keptSteps\":null}")
                    .getBytes(StandardCharsets.US_ASCII),
        };
        for (byte[] wire : nonsense) {
            try (Talk talk = new Talk("127.9.1.1")) {
                talk.out.write(wire);
                talk.socket.shutdownOutput();
                assertThat(talk.isClosedByPeer()).isTrue();
            }
        }
        assertNothingIsHeld();
        assertThat(ask(request(Verb.FETCH, 3, 0, bytes(10)), KEY).code()).isEqualTo("NOT_HELD");
    }

    /** Silent ones take places for 3 s, but not all of them. */
    @Test
    void oneAddressThatFloodsDoesNotKeepOthersOut() throws IOException {
        List<Socket> flood = new ArrayList<>();
        try {
            for (int number = 0; number < 200; number++) {
                Socket socket = new Socket();
                socket.bind(new InetSocketAddress(InetAddress.getByName("127.9.9.9"), 0));
                socket.connect(new InetSocketAddress(ADDRESS, listener.port()), 2000);
                socket.getOutputStream().write(new byte[] {0, 0});
                flood.add(socket);
            }
            assertThat(ask(request(Verb.FETCH, 3, 0, bytes(10)), KEY).code()).isEqualTo("NOT_HELD");
        } finally {
            for (Socket socket : flood) {
                socket.close();
            }
        }
    }

    @Test
    void whoAsksTooSlowlyIsClosed() throws Exception {
        try (Talk talk = new Talk("127.9.1.1")) {
            talk.out.write(new byte[] {0, 0, 1, 0});
            Thread drip = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        talk.out.write(' ');
                        Thread.sleep(200);
                    }
                } catch (IOException | InterruptedException closed) {
                    return;
                }
            });
            assertThat(talk.isClosedByPeer()).isTrue();
            drip.interrupt();
        }
    }

    /** Somebody else on the peer's port can neither claim to keep a shard nor hand over one, nor learn the key. */
    @Test
    void anImpostorIsNotBelieved() throws Exception {
        byte[] content = bytes(1000);
        HeldShard shard = holdAtOther(content);
        try (ServerSocket impostor = new ServerSocket(0, 8, InetAddress.getByName("127.9.2.2"))) {
            List<String> heard = new ArrayList<>();
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket socket = impostor.accept();
                        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                        out.writeBytes("MUSTER r2-n1 1 abc\n");
                        DataInputStream in = new DataInputStream(socket.getInputStream());
                        synchronized (heard) {
                            heard.add(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
                        }
                        Hop.write(out, new PeerAnswer("HELD", "kept before", sha(content), "00".repeat(32)), JSON);
                        Hop.send(Channels.newChannel(new ByteArrayInputStream(content)), 1000, out, () -> {});
                    }
                } catch (IOException closed) {
                    return;
                }
            });
            GangMember wrong = new GangMember(1, SELF, "127.9.2.2", impostor.getLocalPort(), "r2");
            assertThatThrownBy(() -> calls.keep(party(KEY), wrong, shard, List.of(5L)))
                    .hasMessageContaining("without proof");
            assertThat(calls.fetch(
                            party(KEY),
                            new ShardHolder(SELF, "127.9.2.2", impostor.getLocalPort()),
                            stored(content),
                            5,
                            new CheckpointId("chk_0000000001")))
                    .isInstanceOf(PeerCalls.Fetched.Unreachable.class);
            synchronized (heard) {
                assertThat(heard).hasSize(2).noneMatch(text -> text.contains(KEY));
            }
        }
    }

    @Test
    void anotherNodesAgentIsNotThePeer() throws IOException {
        HeldShard shard = holdAtOther(bytes(10));
        GangMember moved = new GangMember(1, new NodeId("r2-n9"), ADDRESS, listener.port(), "r2");
        assertThatThrownBy(() -> calls.keep(party(KEY), moved, shard, List.of(5L)))
                .hasMessageContaining("not that of r2-n9");
    }

    /** A member that stops in the middle costs the time of a chunk, not of the shard; then the next one is asked. */
    @Test
    void whoStopsSendingIsLeftForTheNextHolder() throws Exception {
        byte[] content = bytes(MOST);
        HeldShard shard = holdAtOther(content);
        calls.keep(party(KEY), keeper(), shard, List.of(5L));
        otherMemory.drop(shard);
        try (ServerSocket stopping = new ServerSocket(0, 8, InetAddress.getByName("127.9.2.2"))) {
            Thread.ofVirtual().start(() -> {
                try (Socket socket = stopping.accept()) {
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    out.writeBytes("MUSTER r2-n1 1 abc\n");
                    PeerRequest request =
                            Hop.read(new DataInputStream(socket.getInputStream()), PeerRequest.class, JSON);
                    PeerAnswer bare = new PeerAnswer(PeerAnswer.OK, "it follows", sha(content), "");
                    String proof = PeerProof.of(KEY, request.nonce(), bare.words(request.nonce()));
                    Hop.write(out, new PeerAnswer(PeerAnswer.OK, "it follows", sha(content), proof), JSON);
                    Hop.send(Channels.newChannel(new ByteArrayInputStream(content)), MOST / 2, out, () -> {});
                    socket.getInputStream().read();
                } catch (IOException closed) {
                    return;
                }
            });
            ShardHolder holder = new ShardHolder(SELF, "127.9.2.2", stopping.getLocalPort());
            assertTimeout(
                    Duration.ofSeconds(8),
                    () -> assertThat(calls.fetch(
                                    party(KEY), holder, stored(content), 5, new CheckpointId("chk_0000000001")))
                            .isInstanceOfSatisfying(
                                    PeerCalls.Fetched.Unreachable.class,
                                    none -> assertThat(none.why()).contains("timed out")));
        }
        assertThat(fetch(content, KEY)).isInstanceOf(PeerCalls.Fetched.Whole.class);
    }

    @Test
    void whoTakesNothingLosesTheTransfer() throws Exception {
        byte[] content = bytes(MOST);
        calls.keep(party(KEY), keeper(), holdAtOther(content), List.of(5L));
        try (Talk talk = new Talk("127.9.1.1", 4096)) {
            assertThat(talk.ask(request(Verb.FETCH, 3, 0, content), KEY).ok()).isTrue();
            Thread.sleep(4000);
            assertThat(restOf(talk)).isLessThan(MOST);
        }
    }

    private static long restOf(Talk talk) {
        long count = 0;
        try {
            while (talk.in.read() >= 0) {
                count++;
            }
        } catch (IOException reset) {
            return count;
        }
        return count;
    }
}

package io.muster.agent.peer;

import io.muster.agent.memory.HeldShard;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.memory.ShardMemory.Admission;
import io.muster.contract.agent.GangMember;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks other agents to keep a shard, or for one that they hold. An answer counts only with the proof that it comes from a
 * member; anything else, and every failure of the network, is as if nobody had answered. For an answer, which may need a
 * hash of all bytes, there is as much time as for the whole; once bytes are on their way, one chunk or read has 10 s.
 */
public final class PeerCalls {

    private static final Duration TO_CONNECT = Duration.ofSeconds(2);
    private static final int IDLE_MILLIS = 5000;
    private static final Duration IDLE_FLOW = Duration.ofSeconds(10);
    private static final int LONGEST_GREETING = 200;
    private static final int BUFFER = 64 << 10;

    private final NodeId self;
    private final String ownAddress;
    private final ShardMemory memory;
    private final JsonMapper json;
    private final Duration idleFlow;
    private final Challenges challenges = new Challenges();

    /** The attempt in whose name is asked. */
    public record Party(JobId job, int attempt, String key) {

        /** Without the key. */
        @Override
        public String toString() {
            return job + "/" + attempt;
        }
    }

    /** What came of a fetch; only Whole has bytes, verified and held here. */
    public sealed interface Fetched {

        record Whole(HeldShard held) implements Fetched {}

        /** The holder surely has no whole copy, or has another one than it should. */
        record Useless(String why) implements Fetched {}

        record Unreachable(String why) implements Fetched {}
    }

    /** Not kept; asking again later may help. */
    public static final class NotKept extends IOException {

        private static final long serialVersionUID = 1L;

        NotKept(String message) {
            super(message);
        }
    }

    public PeerCalls(NodeId self, String ownAddress, ShardMemory memory, JsonMapper json) {
        this(self, ownAddress, memory, json, IDLE_FLOW);
    }

    PeerCalls(NodeId self, String ownAddress, ShardMemory memory, JsonMapper json, Duration idleFlow) {
        this.idleFlow = idleFlow;
        this.self = self;
        this.ownAddress = ownAddress;
        this.memory = memory;
        this.json = json;
    }

    /** Returns when the peer has read back what it keeps and its hash is that of the shard. */
    public void keep(Party party, GangMember peer, HeldShard shard, List<Long> keptSteps) throws IOException {
        PeerRequest request = new PeerRequest(
                PeerRequest.Verb.KEEP,
                party.job(),
                party.attempt(),
                shard.rank(),
                shard.step(),
                shard.sizeBytes(),
                shard.sha256(),
                keptSteps,
                challenges.next(),
                "");
        try (FileChannel bytes = memory.open(shard);
                Talk talk = new Talk(peer.node(), peer.address(), peer.port(), shard.sizeBytes())) {
            PeerAnswer ready = talk.ask(request, party.key());
            if (ready.code().equals(PeerAnswer.HELD) && ready.sha256().equals(shard.sha256())) {
                return;
            }
            if (!ready.ok()) {
                throw new NotKept(ready.code() + " " + ready.message());
            }
            Hop.send(bytes, shard.sizeBytes(), talk.out, () -> talk.limit.chunk(idleFlow));
            talk.limit.flowed();
            PeerAnswer kept = talk.answer(request, party.key());
            if (!kept.ok() || !kept.sha256().equals(shard.sha256())) {
                throw new NotKept(kept.code() + " " + kept.message() + ", it holds '" + kept.sha256() + "'");
            }
        }
    }

    /** Fetches a shard into this node's memory and verifies size and hash there. */
    public Fetched fetch(Party party, ShardHolder holder, StoredShard shard, long step, CheckpointId checkpoint) {
        String address = holder.address();
        if (address == null) {
            return new Fetched.Unreachable(holder.node() + " has no known address");
        }
        PeerRequest request = new PeerRequest(
                PeerRequest.Verb.FETCH,
                party.job(),
                party.attempt(),
                shard.rank(),
                step,
                shard.sizeBytes(),
                shard.sha256(),
                List.of(),
                challenges.next(),
                "");
        try (Talk talk = new Talk(holder.node(), address, holder.port(), shard.sizeBytes())) {
            PeerAnswer answer = talk.ask(request, party.key());
            return switch (answer.code()) {
                case PeerAnswer.OK -> take(party, shard, step, checkpoint, talk);
                case PeerAnswer.NOT_HELD, PeerAnswer.DAMAGED -> new Fetched.Useless(answer.message());
                default -> new Fetched.Unreachable(holder.node() + ": " + answer.code() + " " + answer.message());
            };
        } catch (IOException broken) {
            return new Fetched.Unreachable(holder.node() + ": " + broken.getMessage());
        }
    }

    private Fetched take(Party party, StoredShard shard, long step, CheckpointId checkpoint, Talk talk)
            throws IOException {
        talk.expectBytes();
        HeldShard wanted = HeldShard.fetched(party.job(), party.attempt(), shard, step, checkpoint);
        return switch (memory.admit(wanted)) {
            case Admission.Full full -> new Fetched.Unreachable(full.why());
            case Admission.Taken taken -> new Fetched.Unreachable("it is being fetched already");
            case Admission.Granted granted -> {
                HeldShard held = granted.place().fill(Hop.receive(talk.in, shard.sizeBytes()));
                if (held.sha256().equals(shard.sha256())) {
                    yield new Fetched.Whole(held);
                }
                memory.drop(held);
                yield new Fetched.Useless("what came has hash " + held.sha256() + ", not " + shard.sha256());
            }
        };
    }

    /** One conversation with one agent. */
    private final class Talk implements AutoCloseable {

        private final Socket socket = new Socket();
        private final TimeLimit limit;
        private final DataInputStream in;
        private final DataOutputStream out;
        private final String challenge;

        Talk(NodeId other, String address, int port, long bytes) throws IOException {
            limit = new TimeLimit(socket, TO_CONNECT.plus(Hop.longest(bytes)));
            try {
                socket.bind(new InetSocketAddress(InetAddress.getByName(ownAddress), 0));
                socket.connect(
                        new InetSocketAddress(InetAddress.getByName(address), port), (int) TO_CONNECT.toMillis());
                socket.setSoTimeout(IDLE_MILLIS);
                in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
                out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER));
                List<String> greeting = List.of(Hop.line(in, LONGEST_GREETING).split(" ", -1));
                if (greeting.size() < 4
                        || !greeting.get(0).equals("MUSTER")
                        || !greeting.get(1).equals(other.value())) {
                    throw new IOException("the agent at " + address + ":" + port + " is not that of " + other);
                }
                challenge = greeting.get(3);
                socket.setSoTimeout(
                        (int) Math.min(Integer.MAX_VALUE, Hop.longest(bytes).toMillis()));
            } catch (IOException broken) {
                limit.close();
                throw new IOException(
                        "cannot talk from " + self + " to " + other + " at " + address + ":" + port + ": "
                                + broken.getMessage(),
                        broken);
            }
        }

        void expectBytes() throws IOException {
            socket.setSoTimeout((int) idleFlow.toMillis());
        }

        PeerAnswer ask(PeerRequest request, String key) throws IOException {
            Hop.write(out, request.with(PeerProof.of(key, challenge, request.words())), json);
            return answer(request, key);
        }

        PeerAnswer answer(PeerRequest request, String key) throws IOException {
            PeerAnswer answer = Hop.read(in, PeerAnswer.class, json);
            if (!PeerProof.holds(key, request.nonce(), answer.words(request.nonce()), answer.proof())) {
                throw new IOException(answer.code() + " " + answer.message() + ", without proof of being a member");
            }
            return answer;
        }

        @Override
        public void close() {
            limit.close();
        }
    }
}

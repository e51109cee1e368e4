package io.muster.agent.peer;

import io.muster.agent.memory.HeldShard;
import io.muster.agent.memory.HeldShard.Origin;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.memory.ShardMemory.Admission;
import io.muster.agent.probe.PeerListener;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps shards for peers and gives back what it holds. In this order, and the first that refuses wins: whoever leaves a
 * shard proves the key of an attempt that is assigned to this node and not overtaken by a later one; whoever fetches one
 * proves the key of a job that has been here, so that a gang placed anew elsewhere finds its newest commit (one refusal
 * for all of it, so that a stranger learns nothing); the rank belongs to a member that keeps its copies here; the size is
 * allowed; there is a free transfer and room. What is kept is read back, and the hash of that is the answer. A
 * conversation that is slow, broken or too long ends alone, also one of which the other side takes no chunk for 10 s.
 */
public final class PeerDesk implements PeerListener.Guest {

    private static final Logger LOG = LoggerFactory.getLogger(PeerDesk.class);
    private static final Duration TO_ASK = Duration.ofSeconds(3);
    private static final Duration IDLE_FLOW = Duration.ofSeconds(10);
    private static final int TRANSFERS = 8;
    private static final int BUFFER = 64 << 10;

    private final NodeId self;
    private final ShardMemory memory;
    private final Gangs gangs;
    private final long maxShardBytes;
    private final JsonMapper json;
    private final Duration idleFlow;
    private final Challenges challenges = new Challenges();
    private final Semaphore transfers = new Semaphore(TRANSFERS);

    /** The attempts that this node has. */
    public interface Gangs {

        /** Empty if it is not assigned here, or a later attempt of its job is. */
        Optional<GangTask> task(JobId job, int attempt);

        /** The key of a job that has had an attempt here in this agent's life. */
        Optional<String> key(JobId job);
    }

    public PeerDesk(NodeId self, ShardMemory memory, Gangs gangs, long maxShardBytes, JsonMapper json) {
        this(self, memory, gangs, maxShardBytes, json, IDLE_FLOW);
    }

    PeerDesk(NodeId self, ShardMemory memory, Gangs gangs, long maxShardBytes, JsonMapper json, Duration idleFlow) {
        this.idleFlow = idleFlow;
        this.self = self;
        this.memory = memory;
        this.gangs = gangs;
        this.maxShardBytes = maxShardBytes;
        this.json = json;
    }

    /** A request that is not granted. */
    private static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;
        private final String code;

        Refused(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    @Override
    public String challenge() {
        return challenges.next();
    }

    @Override
    public void serve(Socket socket, String challenge) throws IOException {
        try (TimeLimit limit = new TimeLimit(socket, TO_ASK)) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER));
            if (!asks(in)) {
                return;
            }
            PeerRequest request = Hop.read(in, PeerRequest.class, json);
            String key = "";
            try {
                Optional<GangTask> task = gangs.task(request.job(), request.attempt());
                String expected = task.map(GangTask::peerKey)
                        .or(() ->
                                request.verb() == PeerRequest.Verb.FETCH ? gangs.key(request.job()) : Optional.empty())
                        .orElse("");
                if (!PeerProof.holds(expected, challenge, request.words(), request.proof())) {
                    throw new Refused("NOT_A_MEMBER", "no attempt here that you can show to be a member of");
                }
                key = expected;
                converse(request, task, key, limit, in, out);
            } catch (Refused refused) {
                LOG.debug("refused a peer: {} {}", refused.code, refused.getMessage());
                answer(out, request, key, refused.code, String.valueOf(refused.getMessage()), "");
            }
        }
    }

    /** A probe only reads the greeting and closes. */
    private static boolean asks(DataInputStream in) throws IOException {
        in.mark(1);
        boolean more = in.read() >= 0;
        in.reset();
        return more;
    }

    private void converse(
            PeerRequest request,
            Optional<GangTask> task,
            String key,
            TimeLimit limit,
            DataInputStream in,
            DataOutputStream out)
            throws IOException, Refused {
        int ranks = task.map(GangTask::worldSize).orElse(Integer.MAX_VALUE);
        if (request.rank() < 0 || request.rank() >= ranks || request.sizeBytes() < 0) {
            throw new Refused("NOT_YOURS", "there is no rank " + request.rank() + " among " + ranks);
        }
        if (request.sizeBytes() > maxShardBytes) {
            throw new Refused(
                    "TOO_LARGE",
                    "the shard has " + request.sizeBytes() + " bytes, at most " + maxShardBytes + " are kept");
        }
        if (!transfers.tryAcquire()) {
            throw new Refused("BUSY", TRANSFERS + " transfers are going on at " + self + "; try again later");
        }
        try {
            limit.allow(Hop.longest(request.sizeBytes()));
            switch (request.verb()) {
                case KEEP -> keep(request, task.orElseThrow(), in, out);
                case FETCH -> give(request, key, limit, out);
            }
        } finally {
            transfers.release();
        }
    }

    private void keep(PeerRequest request, GangTask task, DataInputStream in, DataOutputStream out)
            throws IOException, Refused {
        int owner = request.rank() / task.processesPerNode();
        Optional<GangMember> keeper = PeerChoice.of(task.members(), owner);
        if (keeper.filter(member -> member.node().equals(self)).isEmpty()) {
            throw new Refused("NOT_YOURS", "copies of rank " + request.rank() + " are not kept on " + self);
        }
        memory.keepOnly(request.job(), request.attempt(), request.rank(), new HashSet<>(request.keptSteps()));
        HeldShard wanted = new HeldShard(
                request.job(),
                request.attempt(),
                request.rank(),
                request.step(),
                Origin.PEER,
                request.sizeBytes(),
                request.sha256(),
                null);
        if (memory.holds(wanted) && memory.damage(wanted).isEmpty()) {
            answer(out, request, task.peerKey(), PeerAnswer.HELD, "kept before", request.sha256());
            return;
        }
        switch (memory.admit(wanted)) {
            case Admission.Full full -> throw new Refused("FULL", full.why());
            case Admission.Taken taken -> throw new Refused("BUSY", "the same shard is being copied here already");
            case Admission.Granted granted -> take(request, granted.place(), task.peerKey(), in, out);
        }
    }

    private void take(
            PeerRequest request, ShardMemory.Place place, String key, DataInputStream in, DataOutputStream out)
            throws IOException, Refused {
        try {
            answer(out, request, key, PeerAnswer.OK, "send it", "");
        } catch (IOException gone) {
            place.cancel();
            throw gone;
        }
        HeldShard kept = place.fill(Hop.receive(in, request.sizeBytes()));
        Optional<String> damage = kept.sha256().equals(request.sha256())
                ? memory.damage(kept)
                : Optional.of("what came has hash " + kept.sha256() + ", " + request.sha256() + " was announced");
        if (damage.isPresent()) {
            memory.drop(kept);
            throw new Refused(PeerAnswer.DAMAGED, damage.get());
        }
        answer(out, request, key, PeerAnswer.OK, "kept", kept.sha256());
    }

    private void give(PeerRequest request, String key, TimeLimit limit, DataOutputStream out)
            throws IOException, Refused {
        HeldShard held = memory.find(request.job(), request.rank(), request.sizeBytes(), request.sha256())
                .orElseThrow(() -> new Refused(
                        PeerAnswer.NOT_HELD,
                        self + " holds no shard of rank " + request.rank() + " with hash " + request.sha256()));
        Optional<String> damage = memory.damage(held);
        if (damage.isPresent()) {
            LOG.error("{}/{} rank {} in memory is damaged: {}", held.job(), held.attempt(), held.rank(), damage.get());
            throw new Refused(PeerAnswer.DAMAGED, damage.get());
        }
        try (FileChannel channel = memory.open(held)) {
            answer(out, request, key, PeerAnswer.OK, "it follows", held.sha256());
            Hop.send(channel, held.sizeBytes(), out, () -> limit.chunk(idleFlow));
        }
    }

    private void answer(
            DataOutputStream out, PeerRequest request, String key, String code, String message, String sha256)
            throws IOException {
        PeerAnswer bare = new PeerAnswer(code, message, sha256, "");
        String proof = key.isEmpty() ? "" : PeerProof.of(key, request.nonce(), bare.words(request.nonce()));
        Hop.write(out, new PeerAnswer(code, message, sha256, proof), json);
    }
}

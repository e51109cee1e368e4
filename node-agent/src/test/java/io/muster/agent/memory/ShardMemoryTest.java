package io.muster.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.agent.http.Json;
import io.muster.agent.memory.HeldShard.Origin;
import io.muster.agent.memory.ShardMemory.Admission;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardMemoryTest {

    private static final JobId JOB = new JobId("job_0000000001");
    private static final CheckpointId CHECKPOINT = new CheckpointId("chk_0000000001");

    @TempDir
    Path folder;

    private ShardMemory memory;

    @BeforeEach
    void open() throws IOException {
        memory = ShardMemory.open(folder.resolve("m"), 100, Json.mapper());
        memory.living(() -> Set.of(JOB));
    }

    private static HeldShard wanted(int attempt, int rank, long step, Origin origin, int bytes) {
        return new HeldShard(JOB, attempt, rank, step, origin, bytes, "", null);
    }

    private HeldShard hold(int attempt, int rank, long step, Origin origin, int bytes) throws IOException {
        var granted = (Admission.Granted) memory.admit(wanted(attempt, rank, step, origin, bytes));
        return granted.place().fill(channel(new byte[bytes]));
    }

    private static ReadableByteChannel channel(byte[] content) {
        return Channels.newChannel(new ByteArrayInputStream(content));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("m"))) {
            return all.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void whatIsSealedIsThereInTheNextLifeAndNothingElse() throws IOException {
        HeldShard own = hold(1, 0, 5, Origin.OWN, 10);
        HeldShard peers = hold(1, 1, 5, Origin.PEER, 20);
        memory.committed(JOB, 1, 5, CHECKPOINT);
        memory.admit(wanted(1, 0, 10, Origin.OWN, 30));
        Path job = folder.resolve("m").resolve(JOB.value());
        Files.writeString(job.resolve("rank-7-attempt-1-step-5.json"), "{");
        Files.copy(job.resolve("rank-0-attempt-1-step-5.json"), job.resolve("rank-9-attempt-1-step-5.json"));
        ShardMemory next = ShardMemory.open(folder.resolve("m"), 100, Json.mapper());
        assertThat(next.own(JOB, 1)).containsExactly(own.committed(CHECKPOINT));
        assertThat(next.find(JOB, 1, 20, peers.sha256())).contains(peers.committed(CHECKPOINT));
        assertThat(next.damage(own)).isEmpty();
        assertThat(files())
                .containsExactly(
                        "rank-0-attempt-1-step-5",
                        "rank-0-attempt-1-step-5.json",
                        "rank-1-attempt-1-step-5",
                        "rank-1-attempt-1-step-5.json");
    }

    @Test
    void whatDoesNotFitIsRefusedWithTheNumbers() throws IOException {
        HeldShard old = hold(1, 0, 5, Origin.OWN, 30);
        memory.committed(JOB, 1, 5, CHECKPOINT);
        HeldShard newer = hold(1, 0, 10, Origin.OWN, 30);
        memory.committed(JOB, 1, 10, new CheckpointId("chk_0000000002"));
        assertThat(hold(1, 0, 15, Origin.OWN, 60))
                .as("the older commit makes room")
                .isNotNull();
        assertThat(memory.holds(old)).isFalse();
        assertThat(memory.holds(newer)).isTrue();
        assertThat(memory.admit(wanted(1, 0, 20, Origin.OWN, 11)))
                .isInstanceOfSatisfying(
                        Admission.Full.class,
                        full -> assertThat(full.why()).contains("90 of 100", "11", "MUSTER_MEMORY_BYTES"));
    }

    @Test
    void roomIsTakenWhenAShardIsAdmittedAndGivenBackWhenItFails() {
        var place = ((Admission.Granted) memory.admit(wanted(1, 0, 5, Origin.OWN, 80))).place();
        assertThat(memory.admit(wanted(1, 0, 5, Origin.OWN, 10))).isInstanceOf(Admission.Taken.class);
        assertThat(memory.admit(wanted(1, 1, 5, Origin.OWN, 80))).isInstanceOf(Admission.Full.class);
        assertThatThrownBy(() -> place.fill(channel(new byte[79]))).hasMessageContaining("79", "80");
        assertThatThrownBy(() -> ((Admission.Granted) memory.admit(wanted(1, 0, 5, Origin.OWN, 80)))
                        .place()
                        .fill(new ReadableByteChannel() {
                            @Override
                            public int read(ByteBuffer to) throws IOException {
                                throw new IOException("rank died");
                            }

                            @Override
                            public boolean isOpen() {
                                return true;
                            }

                            @Override
                            public void close() {}
                        }))
                .hasMessage("rank died");
        assertThat(folder.resolve("m")).isEmptyDirectory();
        assertThat(memory.admit(wanted(1, 1, 5, Origin.OWN, 100))).isInstanceOf(Admission.Granted.class);
    }

    @Test
    void aCommitMarksOwnAndPeersCopiesAndDropsWhatItOvertakes() throws IOException {
        HeldShard own = hold(1, 0, 5, Origin.OWN, 10);
        HeldShard overtaken = hold(1, 1, 3, Origin.PEER, 10);
        HeldShard next = hold(1, 0, 10, Origin.OWN, 10);
        memory.committed(JOB, 1, 5, CHECKPOINT);
        assertThat(memory.holds(own)).isTrue();
        assertThat(memory.holds(next)).isTrue();
        assertThat(memory.holds(overtaken)).isFalse();
        HeldShard late = hold(1, 1, 5, Origin.PEER, 10);
        assertThat(late.checkpoint()).as("the commit is known here").isEqualTo(CHECKPOINT);
    }

    @Test
    void aFenceDropsWhatEarlierAttemptsLeftOpenButNothingCommitted() throws IOException {
        HeldShard committed = hold(1, 0, 5, Origin.OWN, 10);
        memory.committed(JOB, 1, 5, CHECKPOINT);
        HeldShard open = hold(1, 0, 10, Origin.OWN, 11);
        HeldShard restored = hold(1, 1, 10, Origin.PEER, 12);
        HeldShard newer = hold(2, 0, 15, Origin.OWN, 13);
        memory.committed(JOB, Set.of(restored.sha256()), new CheckpointId("chk_0000000002"));
        memory.fence(JOB, 2);
        assertThat(Stream.of(committed, open, restored, newer).map(memory::holds))
                .containsExactly(true, false, true, true);
    }

    @Test
    void ofAPeersOpenCopiesOnlyTheNamedStepsStay() throws IOException {
        HeldShard open = hold(1, 1, 5, Origin.PEER, 10);
        HeldShard kept = hold(1, 1, 10, Origin.PEER, 10);
        HeldShard others = hold(1, 2, 5, Origin.PEER, 10);
        HeldShard own = hold(1, 0, 5, Origin.OWN, 10);
        memory.keepOnly(JOB, 1, 1, Set.of(10L, 15L));
        assertThat(Stream.of(open, kept, others, own).map(memory::holds)).containsExactly(false, true, true, true);
    }

    @Test
    void shardsOfAJobThatIsGoneStayForAWhileAndThenGo() throws IOException {
        HeldShard own = hold(1, 0, 5, Origin.OWN, 10);
        Set<JobId> living = new java.util.HashSet<>(Set.of(JOB));
        Housekeeping keeping = new Housekeeping(memory, held -> living);
        long minute = 60_000_000_000L;
        keeping.look(0);
        living.clear();
        keeping.look(100 * minute);
        keeping.look(114 * minute);
        assertThat(memory.holds(own)).isTrue();
        living.add(JOB);
        keeping.look(116 * minute);
        living.clear();
        keeping.look(117 * minute);
        keeping.look(130 * minute);
        assertThat(memory.holds(own)).isTrue();
        keeping.look(133 * minute);
        assertThat(memory.holds(own)).isFalse();
        assertThat(folder.resolve("m")).isEmptyDirectory();
    }
}

package io.muster.agent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.agent.Gang;
import io.muster.agent.checkpoint.CheckpointPath.SaveOutcome;
import io.muster.agent.http.Json;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.peer.PeerCalls;
import io.muster.contract.id.NodeId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A save that is still filling its slot when the attempt is sealed. The service is away all the time. */
class CheckpointPathTest {

    @TempDir
    Path folder;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch filling = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private CheckpointPath path;

    @BeforeEach
    void open() throws IOException {
        Gang gang = new Gang("r1-n1", "127.0.0.1", 1).processes(2).checkpoints(5, 0);
        ShardMemory memory = ShardMemory.open(folder.resolve("memory"), 1000, Json.mapper());
        CheckpointPath.Means means = new CheckpointPath.Means(
                new NodeId("r1-n1"),
                memory,
                new PeerCalls(new NodeId("r1-n1"), "127.0.0.1", memory, Json.mapper()),
                new ShardStore(folder),
                new CheckpointCalls(
                        new ServiceClient(Json.mapper(), executor, Optional::empty),
                        URI.create("http://127.0.0.1:1"),
                        new NodeId("r1-n1")),
                new Random(1),
                1000);
        var assignment = gang.run(1, 1);
        path = CheckpointPath.open(
                assignment, assignment.task(), assignment.task().checkpoint(), means);
    }

    @AfterEach
    void close() {
        path.close();
        executor.shutdownNow();
    }

    private static ReadableByteChannel whole() {
        return Channels.newChannel(new ByteArrayInputStream(new byte[10]));
    }

    /** Gives its bytes, or breaks, when told to go. */
    private ReadableByteChannel slow(boolean breaks) {
        ReadableByteChannel bytes = whole();
        return new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer to) throws IOException {
                filling.countDown();
                try {
                    go.await();
                } catch (InterruptedException stopped) {
                    throw new IOException(stopped);
                }
                if (breaks) {
                    throw new IOException("rank died");
                }
                return bytes.read(to);
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    private FutureTask<SaveOutcome> saveSlowly(boolean breaks) throws InterruptedException {
        FutureTask<SaveOutcome> save = new FutureTask<>(() -> path.save(1, 5, 10, slow(breaks)));
        Thread.ofPlatform().daemon().start(save);
        filling.await();
        return save;
    }

    @Test
    void itComesToItsEndAndTheStepIsWhole() throws Exception {
        path.save(0, 5, 10, whole());
        FutureTask<SaveOutcome> save = saveSlowly(false);
        path.seal();
        assertThat(path.phase(5)).isEqualTo("STAGED");
        assertThat(path.drained()).isFalse();
        go.countDown();
        assertThat(save.get()).isEqualTo(new SaveOutcome.Held());
        assertThat(path.phase(5)).isEqualTo("STAGED");
        assertThat(path.drained()).as("the service is away").isFalse();
    }

    @Test
    void ifItBreaksTheStepIsGivenUpAndNothingIsLeft() throws Exception {
        path.save(0, 5, 10, whole());
        FutureTask<SaveOutcome> save = saveSlowly(true);
        path.seal();
        assertThat(path.drained()).isFalse();
        go.countDown();
        assertThatThrownBy(save::get).isInstanceOf(ExecutionException.class);
        assertThat(path.phase(5)).isEqualTo("ABANDONED");
        assertThat(path.drained()).isTrue();
        assertThat(folder.resolve("memory")).isEmptyDirectory();
    }

    @Test
    void ifTheOtherRankNeverSavedItIsGivenUpWhenItIsWhole() throws Exception {
        FutureTask<SaveOutcome> save = saveSlowly(false);
        path.seal();
        go.countDown();
        save.get();
        assertThat(path.phase(5)).isEqualTo("ABANDONED");
        assertThat(path.drained()).isTrue();
        assertThat(folder.resolve("memory")).isEmptyDirectory();
    }

    @Test
    void onceSealedNoSaveBegins() throws Exception {
        path.seal();
        assertThat(path.save(0, 5, 10, whole())).isInstanceOf(SaveOutcome.Refused.class);
        assertThat(path.drained()).isTrue();
    }

    @Test
    void aShardForAStepThatWasGivenUpTakesNoSlot() throws Exception {
        path.save(0, 5, 10, whole());
        path.save(1, 10, 10, whole());
        assertThat(path.phase(5)).isEqualTo("ABANDONED");
        for (int time = 0; time < 5; time++) {
            assertThat(path.save(1, 5, 10, whole())).isEqualTo(new SaveOutcome.Held());
        }
        assertThat(path.save(1, 15, 10, whole())).isEqualTo(new SaveOutcome.Held());
    }
}

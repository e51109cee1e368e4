package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client of training code and a real agent: what one attempt hands over the next one gets back. */
class PythonClientTest {

    private static final String TRAINS = """
            import array, os, random, muster
            checkpointer = muster.Checkpointer()
            restored = checkpointer.restore()
            step = restored.step if restored else 0
            weights = restored.state['weights'] if restored else array.array('d', [0.0] * 100000)
            log = muster.MetricsLog(os.environ['LOG'], restored)
            if not restored:
                random.seed(42)
            seen = restored.data_position['seen'] if restored else 0
            muster.ready()
            while step < 12:
                step += 1
                seen += 3
                weights[step] = random.random()
                log.append(step, value=weights[step])
                muster.progress(step, 12, loss=weights[step])
                if checkpointer.due(step):
                    saved = checkpointer.save(step, {'weights': weights}, data={'seen': seen}, log=log, wait=True)
                    committed = checkpointer.wait_committed(step)
                    print('saved', step, saved, committed, flush=True)
                if step == 7 and not restored:
                    os._exit(3)
            muster.progress(step, 12)
            muster.result({'seen': seen, 'sum': sum(weights), 'from': restored.step if restored else 0})
            """;

    @TempDir
    Path folder;

    private AgentFixture node;

    @BeforeEach
    void start() throws IOException {
        node = new AgentFixture(folder);
        node.env.put(
                "MUSTER_CLIENT_PYTHONPATH",
                Path.of("../clients/python").toAbsolutePath().normalize().toString());
        node.startInside();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private Gang gang() {
        return node.gang()
                .python(TRAINS)
                .env("LOG", folder.resolve("metrics.jsonl").toString())
                .checkpoints(5, 0);
    }

    @Test
    void stateGeneratorsDataAndLogGoOnWhereTheCheckpointLeftThem() throws Exception {
        node.run(gang(), 1);
        AttemptReport broken = node.await(1, MemberPhase.EXITED);
        assertThat(broken.ranks().getFirst().exit().code()).isEqualTo(3);
        assertThat(broken.progress().metrics()).containsKey("muster_checkpoint_stall_seconds");
        assertThat(Files.readString(node.folder(1).resolve("rank-0.log"))).contains("saved 5 True True");
        StoredShard shard = node.plane.shards.getLast().shards().getFirst();
        node.plane.desire(Gang.stop(1));
        node.await(1, MemberPhase.GONE);

        node.run(
                gang().restore(new RestoreDecision(
                        RestoreVerdict.RESTORED, new CheckpointId("chk_0000000005"), 5, List.of(shard), "newest")),
                2);
        AttemptReport ended = node.await(2, MemberPhase.EXITED);
        assertThat(Files.readString(node.folder(2).resolve("rank-0.log"))).contains("saved 10 True True");
        Process undisturbed = new ProcessBuilder("python3", "-c", """
                import random
                random.seed(42)
                print(sum([0.0] + [random.random() for _ in range(12)]))
                """).start();
        double expected =
                Double.parseDouble(new String(undisturbed.getInputStream().readAllBytes()).strip());
        assertThat(ended.result()).isEqualTo(Map.of("seen", 36, "sum", expected, "from", 5));
        assertThat(Files.readAllLines(folder.resolve("metrics.jsonl")))
                .hasSize(12)
                .satisfies(lines -> {
                    for (int step = 1; step <= 12; step++) {
                        assertThat(lines.get(step - 1)).contains("\"step\": " + step + ",");
                    }
                });
    }
}

package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.time.Instant;
import java.util.List;

/** Checkpoints as the tests of the rules need them. */
final class Checkpoints {

    static final JobId JOB = new JobId("job_00000001");
    static final Instant NOW = Instant.parse("2026-11-29T10:00:00Z");

    private Checkpoints() {}

    static Checkpoint committed(int number, int attempt, long step, int worldSize) {
        return of(number, attempt, step, worldSize, CheckpointPhase.COMMITTED);
    }

    static Checkpoint of(int number, int attempt, long step, int worldSize, CheckpointPhase phase) {
        return new Checkpoint(
                new CheckpointId("chk_0000000" + number),
                JOB,
                attempt,
                step,
                worldSize,
                phase,
                null,
                NOW,
                NOW.plusSeconds(600),
                phase == CheckpointPhase.RESERVED ? null : NOW,
                phase == CheckpointPhase.COMMITTED || phase == CheckpointPhase.CORRUPT ? Long.valueOf(number) : null,
                phase == CheckpointPhase.COMMITTED || phase == CheckpointPhase.CORRUPT ? Durability.DURABLE : null,
                0,
                phase == CheckpointPhase.ABANDONED || phase == CheckpointPhase.CORRUPT ? "overtaken" : null);
    }

    /** Of the first checkpoint of {@link #JOB}. */
    static StoredShard shard(int rank, String bytes) {
        return new StoredShard(rank, path(JOB, "chk_00000001", rank), bytes.length(), sha(bytes), List.of());
    }

    /** The same shard where it lies if it is one of another checkpoint. */
    static StoredShard of(JobId job, String checkpoint, StoredShard shard) {
        return new StoredShard(
                shard.rank(),
                shard.path() == null ? null : path(job, checkpoint, shard.rank()),
                shard.sizeBytes(),
                shard.sha256(),
                shard.holders());
    }

    static String path(JobId job, String checkpoint, int rank) {
        return "checkpoints/checkpoints/research/own/research/" + job + "/" + checkpoint + "/rank-" + rank + ".shard";
    }

    static String sha(String bytes) {
        return "%064x".formatted(bytes.hashCode() & 0xffffffffL);
    }
}

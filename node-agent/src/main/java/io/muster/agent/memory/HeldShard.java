package io.muster.agent.memory;

import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import org.jspecify.annotations.Nullable;

/**
 * A sealed shard in this node's memory, as its label says.
 *
 * @param sha256 of the bytes on their arrival
 * @param checkpoint the committed checkpoint it belongs to; null while no commit is known
 */
public record HeldShard(
        JobId job,
        int attempt,
        int rank,
        long step,
        Origin origin,
        long sizeBytes,
        String sha256,
        @Nullable CheckpointId checkpoint) {

    /** OWN: handed over by a rank here. PEER: kept for another node. FETCHED: for a rank here to restore from. */
    public enum Origin {
        OWN,
        PEER,
        FETCHED
    }

    /** What is fetched for this attempt comes from an earlier one; by its number it is older than all that this one saves. */
    public static HeldShard fetched(
            JobId job, int attempt, StoredShard shard, long step, @Nullable CheckpointId checkpoint) {
        return new HeldShard(
                job, attempt - 1, shard.rank(), step, Origin.FETCHED, shard.sizeBytes(), shard.sha256(), checkpoint);
    }

    HeldShard committed(CheckpointId as) {
        return new HeldShard(job, attempt, rank, step, origin, sizeBytes, sha256, as);
    }

    boolean isOf(JobId otherJob, int otherAttempt, long otherStep) {
        return job.equals(otherJob) && attempt == otherAttempt && step == otherStep;
    }

    /** Also names a copy that was given up and taken in again: the bytes are the same. */
    public boolean sameBytes(HeldShard other) {
        return job.equals(other.job)
                && attempt == other.attempt
                && rank == other.rank
                && step == other.step
                && sha256.equals(other.sha256);
    }
}

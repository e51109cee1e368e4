package io.muster.agent.peer;

import io.muster.contract.id.JobId;
import java.util.List;
import java.util.Objects;

/**
 * What one agent asks another for. KEEP is followed by the shard's bytes, FETCH is answered with them.
 *
 * @param keptSteps KEEP: the steps of this attempt whose copies of the rank are still wanted
 * @param nonce made by the asker, so that an answer is good for this question only
 * @param proof that the asker knows the job's key
 */
record PeerRequest(
        Verb verb,
        JobId job,
        int attempt,
        int rank,
        long step,
        long sizeBytes,
        String sha256,
        List<Long> keptSteps,
        String nonce,
        String proof) {

    enum Verb {
        KEEP,
        FETCH
    }

    PeerRequest {
        Objects.requireNonNull(verb);
        Objects.requireNonNull(job);
        Objects.requireNonNull(sha256);
        Objects.requireNonNull(nonce);
        Objects.requireNonNull(proof);
        keptSteps = List.copyOf(keptSteps);
    }

    /** Everything that the proof is about. */
    String words() {
        return String.join(
                "\n",
                verb.name(),
                job.value(),
                Integer.toString(attempt),
                Integer.toString(rank),
                Long.toString(step),
                Long.toString(sizeBytes),
                sha256,
                keptSteps.toString(),
                nonce);
    }

    PeerRequest with(String proven) {
        return new PeerRequest(verb, job, attempt, rank, step, sizeBytes, sha256, keptSteps, nonce, proven);
    }
}

package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.answered;
import static io.muster.job.lifecycle.JobFixture.failed;
import static io.muster.job.lifecycle.JobFixture.gone;
import static io.muster.job.lifecycle.JobFixture.inPreflight;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A preflight in which the checkpoint to restore is what is missing. */
class PreflightDecisionsTest {

    private static final StartLimits LIMITS = new StartLimits(Duration.ofSeconds(60), Duration.ofMinutes(30));

    private static CheckResult check(String name, CheckStatus status) {
        return new CheckResult(name, status, true, name + " says so", 5, T0);
    }

    /** However long the store is away: nothing is charged, nothing given up, no node blamed, the nodes are kept. */
    @Test
    void aCopyThatCannotBeReachedIsTriedAgainForAsLongAsItTakes() {
        Job job = inPreflight(queued(2, 1, true));
        for (int attempt = 1; attempt <= 3 * AttemptDecisions.MAX_PREFLIGHT_ROUNDS; attempt++) {
            assertThat(job.attemptOrThrow().number()).isEqualTo(attempt);
            Job waiting = AttemptDecisions.reported(
                    job, node(1), failed(job, check("restore_verified", CheckStatus.UNKNOWN)), T0);
            assertThat(waiting.phase()).isEqualTo(JobPhase.RECOVERING);
            assertThat(waiting.status().reason()).isEqualTo(JobReason.WAITING_FOR_CHECKPOINT_COPY);
            assertThat(waiting.status().message()).contains("n1", "restore_verified says so");
            assertThat(waiting.attemptOrThrow().verdictPending())
                    .as("nobody is to be blamed")
                    .isFalse();
            Job cleared = AttemptDecisions.reported(waiting, node(0), gone(waiting), T0);
            Job next = AttemptDecisions.reported(cleared, node(1), gone(cleared), T0);
            assertThat(next.holding().generation()).isEqualTo(1);
            assertThat(next.holding().preflightRounds()).isZero();
            assertThat(next.restarts().platform() + next.restarts().user()).isZero();
            job = answered(AttemptDecisions.advanced(next, T0), JobFixture.fresh());
        }
    }

    @Test
    void anythingElseThatFailsIsLookedInto() {
        Job job = inPreflight(queued(2, 1, true));
        Stream.of(
                        failed(job, check("restore_verified", CheckStatus.FAIL)),
                        failed(job, check("disk_space", CheckStatus.UNKNOWN)),
                        failed(
                                job,
                                check("restore_verified", CheckStatus.UNKNOWN),
                                check("disk_space", CheckStatus.FAIL)))
                .forEach(report -> {
                    Job broken = AttemptDecisions.reported(job, node(1), report, T0);
                    assertThat(broken.status().reason()).isEqualTo(JobReason.PREFLIGHT_FAILED);
                    assertThat(broken.attemptOrThrow().verdictPending()).isTrue();
                });
    }

    /** 2 members that read 30 GiB each: 614 s at 50 MiB/s beside the 60 s that the checks have. */
    @Test
    void theLimitGrowsWithWhatAMemberReads() {
        List<StoredShard> shards = IntStream.range(0, 2)
                .mapToObj(rank -> new StoredShard(rank, "checkpoints/p" + rank, 30L << 30, "h", List.of()))
                .toList();
        Job starting = StartDecisions.placed(queued(2, 1, true), placement(1, 2), T0);
        Job job = answered(
                starting,
                new RestoreDecision(RestoreVerdict.RESTORED, new CheckpointId("chk_00000001"), 40, shards, "newest"));
        assertThat(LIMITS.end(job)).isEqualTo(T0.plusSeconds(60 + 614));
        assertThat(LIMITS.enforced(job, T0.plusSeconds(673))).isSameAs(job);
        assertThat(LIMITS.enforced(job, T0.plusSeconds(674)).status().message()).contains("674 s");
    }
}

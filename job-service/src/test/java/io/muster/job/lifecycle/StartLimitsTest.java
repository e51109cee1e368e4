package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.allGone;
import static io.muster.job.lifecycle.JobFixture.exit;
import static io.muster.job.lifecycle.JobFixture.inPreflight;
import static io.muster.job.lifecycle.JobFixture.inRun;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.passed;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.ranks;
import static io.muster.job.lifecycle.JobFixture.running;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.contract.agent.ExitCause;
import io.muster.contract.job.JobPhase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartLimitsTest {

    private static final StartLimits LIMITS = new StartLimits(Duration.ofSeconds(60), Duration.ofMinutes(30));
    private static final Instant PREFLIGHT_END = T0.plusSeconds(60);
    private static final Instant START_END = T0.plus(Duration.ofMinutes(30));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void aPreflightThatIsNotOverInTimeIsInterruptedLikeAFailedOneAndNamesWhoIsMissing(int nodes) {
        for (int reported = 0; reported < nodes; reported++) {
            Job job = inPreflight(queued(nodes, 1, true));
            for (Member member : job.attemptOrThrow().members().subList(0, reported)) {
                job = AttemptDecisions.reported(job, member.node(), passed(job, member), T0);
            }
            assertThat(LIMITS.end(job)).isEqualTo(PREFLIGHT_END);
            assertThat(LIMITS.enforced(job, PREFLIGHT_END.minusMillis(1))).isSameAs(job);
            Job late = LIMITS.enforced(job, PREFLIGHT_END);
            assertThat(late.phase()).isEqualTo(JobPhase.RECOVERING);
            assertThat(late.status().reason()).isEqualTo(JobReason.PREFLIGHT_FAILED);
            assertThat(late.attemptOrThrow().verdictPending()).isTrue();
            assertThat(late.status().message())
                    .contains("60 s")
                    .contains((nodes - reported) + " of " + nodes + " nodes")
                    .contains(node(reported).value());
            if (reported > 0) {
                assertThat(late.status().message()).doesNotContain(node(0).value());
            }
            assertThat(allGone(late, PREFLIGHT_END).phase())
                    .as("the verdict is awaited")
                    .isEqualTo(JobPhase.RECOVERING);
        }
    }

    @Test
    void ranksThatDoNotSayHelloInTimeFailTheJobAndTheFirstFiveAreNamed() {
        Job job = inRun(queued(4, 2, true));
        Member first = job.attemptOrThrow().members().getFirst();
        job = AttemptDecisions.reported(job, first.node(), ranks(job, first, null, -1), T0);
        assertThat(LIMITS.end(job)).isEqualTo(START_END);
        assertThat(LIMITS.enforced(job, START_END.minusMillis(1))).isSameAs(job);
        Job late = LIMITS.enforced(job, START_END);
        assertThat(late.phase()).isEqualTo(JobPhase.STOPPING);
        Job failed = allGone(late, START_END);
        assertThat(failed.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(failed.status().reason()).isEqualTo(JobReason.START_TIMEOUT);
        assertThat(failed.status().message())
                .contains("6 of 8 ranks")
                .contains("1800 s")
                .contains("rank 2 (node n1), 3 (node n1), 4 (node n2), 5 (node n2), 6 (node n3) and 1 more");
    }

    @Test
    void noLimitRunsWhereNothingIsAwaitedFromTheNodes() {
        Job restoring = StartDecisions.placed(queued(2, 1, true), placement(1, 2), T0);
        Job broken = inRun(queued(2, 1, true));
        Member first = broken.attemptOrThrow().members().getFirst();
        broken = AttemptDecisions.reported(
                broken, first.node(), ranks(broken, first, exit(ExitCause.USER_ERROR, 1, "boom"), -1), T0);
        assertThat(broken.attemptOrThrow().firstBadExitAt()).isNotNull();
        Job cancelled = AttemptDecisions.cancelled(inPreflight(queued(2, 1, true)), T0);
        for (Job job : List.of(
                queued(2, 1, true),
                restoring,
                inRun(queued(2, 1, false)),
                running(queued(2, 1, true)),
                broken,
                cancelled,
                allGone(cancelled, T0))) {
            assertThat(LIMITS.end(job)).as(job.phase().name()).isNull();
            assertThat(LIMITS.enforced(job, T0.plus(Duration.ofDays(1)))).isSameAs(job);
        }
    }

    @Test
    void theStartCountsFromTheEndOfThePreflight() {
        Job job = inPreflight(queued(1, 1, true));
        Instant later = T0.plusSeconds(50);
        job = AttemptDecisions.reported(
                job, node(0), passed(job, job.attemptOrThrow().members().getFirst()), later);
        assertThat(LIMITS.end(job)).isEqualTo(later.plus(Duration.ofMinutes(30)));
    }

    @Test
    void aLimitOfNothingIsRefused() {
        assertThatThrownBy(() -> new StartLimits(Duration.ZERO, Duration.ofMinutes(1)))
                .hasMessageContaining("muster.job.preflight-limit");
    }
}

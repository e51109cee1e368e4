package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.ProbeResult;
import io.muster.health.RunningService.Answer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Reports, arbiters and verdicts over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PreflightOverHttpTest {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private RunningService service;
    private TestAgent keeper;

    @BeforeAll
    void start(@TempDir Path keys) {
        service = RunningService.start(keys, "health_preflight");
        Eventually.holds("a judge", service::judges, () -> "no judge");
        keeper = new TestAgent(service, "keeper").lives(target -> true);
    }

    @AfterAll
    void stop() {
        keeper.close();
        service.close();
    }

    @Test
    void aMembersOwnFailureIsBlamedAndHeldAndTheOthersAreNot() {
        try (TestAgent bad = new TestAgent(service, fresh()).lives(target -> true);
                TestAgent good = new TestAgent(service, fresh()).lives(target -> true)) {
            JobId job = new JobId("job_0000000a");
            List<NodeId> gang = List.of(bad.node(), good.node());
            assertThat(service.verdict(job).decided()).isFalse();
            assertThat(preflight(bad, job, gang, TestNodes.allPassBut("memory", CheckStatus.FAIL, now()), List.of())
                            .status())
                    .isEqualTo(204);
            assertThat(bad.causes()).contains("CHECK_FAILED");
            preflight(good, job, gang, TestNodes.allPass(now()), List.of());
            Eventually.holds("a verdict", () -> service.verdict(job).decided(), () -> service.verdict(job));

            assertThat(service.verdict(job).blamed()).containsExactly(bad.node());
            assertThat(service.verdict(job).message()).contains("memory");
            assertThat(bad.causes()).contains("PREFLIGHT_FAILED");
            assertThat(good.causes()).isEmpty();
        }
    }

    @Test
    void aThirdNodeDecidesWhichEndOfABadPairIsBroken() {
        String brokenName = fresh();
        // every node may be asked to be the arbiter; none reaches the broken one
        keeper.close();
        keeper.beatsOn(target -> !target.value().equals(brokenName));
        try (TestAgent broken = new TestAgent(service, brokenName).lives(target -> true);
                TestAgent good = new TestAgent(service, fresh()).lives(target -> true)) {
            Eventually.holds("fit", () -> keeper.causes().isEmpty(), () -> keeper.view());
            JobId job = new JobId("job_0000000b");
            List<NodeId> gang = List.of(broken.node(), good.node());
            preflight(broken, job, gang, TestNodes.allPass(now()), List.of(pair(broken, good, false)));
            preflight(good, job, gang, TestNodes.allPass(now()), List.of(pair(good, broken, false)));
            Eventually.holds("a verdict", () -> service.verdict(job).decided(), () -> service.verdict(job));

            assertThat(service.verdict(job).blamed())
                    .as(service.verdict(job).message())
                    .containsExactly(broken.node());
            assertThat(good.causes()).isEmpty();
            assertThat(broken.fitness().holds()).singleElement().satisfies(hold -> {
                assertThat(hold.cause()).isEqualTo("PREFLIGHT_FAILED");
                assertThat(hold.effect()).isEqualTo(HoldEffect.NO_NEW_WORK);
                assertThat(hold.message()).contains("not before");
            });
        }
    }

    @Test
    void aPreflightReportOfAnEndedSessionIsRefused() {
        TestAgent agent = new TestAgent(service, fresh()).joins();
        long old = agent.registration().session();
        agent.registers();
        Answer late = agent.call(
                "preflight",
                new PreflightReport(new JobId("job_0000000c"), 1, old, List.of(agent.node()), List.of(), List.of()));

        assertThat(late.status()).isEqualTo(409);
        assertThat(late.code()).isEqualTo("SESSION_ENDED");
    }

    private static Answer preflight(
            TestAgent agent, JobId job, List<NodeId> gang, List<CheckResult> checks, List<ProbeResult> pairs) {
        return agent.call(
                "preflight", new PreflightReport(job, 1, agent.registration().session(), gang, checks, pairs));
    }

    private static ProbeResult pair(TestAgent from, TestAgent to, boolean reached) {
        return new ProbeResult(null, from.node(), to.node(), reached, 1, "tried");
    }

    private static Instant now() {
        return Clock.systemUTC().instant();
    }

    private static String fresh() {
        return "p-" + COUNT.incrementAndGet();
    }
}

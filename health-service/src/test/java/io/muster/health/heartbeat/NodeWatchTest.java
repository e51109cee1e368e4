package io.muster.health.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeFacts;
import io.muster.health.TestNodes;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.hold.OpenHold;
import io.muster.health.node.NodeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An agent's talk with its judge, one second a heartbeat, without database or network. */
class NodeWatchTest {

    private final AtomicInteger ids = new AtomicInteger();
    private Instant now = TestNodes.NOON;
    private NodeRecord stored = joined();
    private NodeWatch watch = NodeWatch.ofRegistered(stored, "0.1.0");
    private int writes;

    @Test
    void aNewNodeGetsWorkWhenItsFirstChecksHavePassed() {
        assertThat(stored.condition()).isEqualTo(NodeCondition.VALIDATING);
        assertThat(beat()).isTrue();
        assertThat(beat(TestNodes.allPass(now))).isFalse();

        assertThat(stored.holds().open()).isEmpty();
        assertThat(stored.condition()).isEqualTo(NodeCondition.HEALTHY);
    }

    @Test
    void anUnfitNewNodeNeverGetsWorkUntilItPasses() {
        beat(TestNodes.allPassBut("disk_space", CheckStatus.FAIL, now));

        assertThat(causes()).containsExactly(HoldCause.ADMISSION, HoldCause.CHECK_FAILED);
        assertThat(stored.holds().open().getLast().hold().message())
                .contains("disk_space")
                .contains("3 of 10");
        boolean asked = false;
        for (int i = 0; i < 11 && !asked; i++) {
            asked = beat();
        }
        assertThat(asked).isTrue();
        beat(TestNodes.allPass(now));
        assertThat(causes()).isEmpty();
    }

    @Test
    void anUnknownRequiredCheckKeepsWorkOffToo() {
        beat(TestNodes.allPassBut("memory", CheckStatus.UNKNOWN, now));

        assertThat(causes()).containsExactly(HoldCause.ADMISSION, HoldCause.CHECK_FAILED);
    }

    @Test
    void theWayBackAfterALostLeaseIsANewSessionAndFreshChecks() {
        List<CheckResult> beforeTheLoss = TestNodes.allPass(now);
        admitted();
        stored = stored.leaseExpired(stored.session(), "silent", this::id, now);
        assertThat(stored.condition()).isEqualTo(NodeCondition.QUARANTINED);
        stored = stored.registered(stored.facts(), now.plusSeconds(3600), now);
        watch = NodeWatch.ofRegistered(stored, "0.1.0");
        assertThat(causes()).as("a new session lifts nothing").containsExactly(HoldCause.LEASE_EXPIRED);

        assertThat(beat(beforeTheLoss)).as("asked for checks").isTrue();
        assertThat(beat(beforeTheLoss)).isFalse();
        assertThat(causes()).as("checks from before count for nothing").containsExactly(HoldCause.LEASE_EXPIRED);
        beat(TestNodes.allPassBut("leftover_processes", CheckStatus.FAIL, now));
        assertThat(causes()).containsExactly(HoldCause.LEASE_EXPIRED, HoldCause.CHECK_FAILED);
        for (int i = 0; i < 11; i++) {
            beat();
        }
        beat(TestNodes.allPass(now));
        assertThat(causes()).isEmpty();
    }

    @Test
    void aPreflightsFindingIsNotLiftedByChecksFromBeforeIt() {
        admitted();
        List<CheckResult> earlier = TestNodes.allPass(now);
        HoldOpening found = HoldOpening.byHealth(HoldCause.CHECK_FAILED, "r1-n1", "disk", stored.session());
        learn(stored.with(stored.holds().with(found, this::id, now)));
        watch.tellFailing(List.of(TestNodes.check("disk_space", CheckStatus.FAIL, now)));

        now = now.plusSeconds(1);
        assertThat(beat(earlier)).isTrue();
        beat(earlier);
        assertThat(causes()).containsExactly(HoldCause.CHECK_FAILED);
        beat(TestNodes.allPass(now));
        assertThat(causes()).isEmpty();
    }

    @Test
    void aFailureThatStaysIsWrittenOnce() {
        admitted();
        int before = writes;
        for (int i = 0; i < 5; i++) {
            beat(List.of(TestNodes.check("fd_limit", CheckStatus.FAIL, now)));
        }
        assertThat(writes - before).isEqualTo(1);
        beat(List.of(
                TestNodes.check("fd_limit", CheckStatus.FAIL, now), TestNodes.check("memory", CheckStatus.FAIL, now)));
        assertThat(writes - before).isEqualTo(2);
        assertThat(stored.holds().open()).hasSize(1);
    }

    @Test
    void aClockFiveSecondsOffKeepsWorkOffOnceThreeHeartbeatsAgree() {
        admitted();
        watch = NodeWatch.ofStored(stored, "0.1.0");
        beatWithClock(6000);
        beatWithClock(6000);
        assertThat(causes()).isEmpty();
        beatWithClock(6000);
        assertThat(causes()).containsExactly(HoldCause.CHECK_FAILED);
        assertThat(stored.holds().open().getFirst().hold().message())
                .contains("clock_offset")
                .contains("6000 ms ahead");
    }

    @Test
    void oneSlowHeartbeatIsNoClockFailure() {
        admitted();
        beatWithClock(-9000);
        beatWithClock(-9000);
        assertThat(causes()).isEmpty();
    }

    @Test
    void aGpuThatFellOffTheBusKeepsWorkOff() {
        admitted();
        beat(facts(IntStream.range(0, 7).boxed().toList(), List.of()), List.of());

        assertThat(causes()).containsExactly(HoldCause.CHECK_FAILED);
        assertThat(stored.holds().open().getFirst().hold().message()).contains("7 GPUs seen, 8 in the inventory");
    }

    @Test
    void anOldAgentGetsNoWork() {
        watch = NodeWatch.ofRegistered(stored, "0.2.0");
        beat(TestNodes.allPass(now));

        assertThat(causes()).containsExactly(HoldCause.ADMISSION, HoldCause.CHECK_FAILED);
        assertThat(stored.holds().open().getLast().hold().message()).contains("0.1.0 is older than 0.2.0");
    }

    @Test
    void anAgentsVetoHoldsOneGpuUntilTheAgentAndTheChecksGiveItBack() {
        admitted();
        List<Integer> all = IntStream.range(0, 8).boxed().toList();
        assertThat(beat(facts(all, List.of(3)), List.of()))
                .as("vetoed: checks lift nothing")
                .isFalse();

        assertThat(stored.holds().holds()).singleElement().satisfies(hold -> {
            assertThat(hold.target()).isEqualTo("r1-n1/3");
            assertThat(hold.cause()).isEqualTo("GPU_VETOED");
        });
        assertThat(beat(facts(all, List.of()), List.of())).isTrue();
        assertThat(causes()).containsExactly(HoldCause.GPU_VETOED);
        beat(TestNodes.allPass(now));
        assertThat(causes()).isEmpty();
    }

    @Test
    void aLostAnswerIsAskedForAgain() {
        stored = stored.leaseExpired(stored.session(), "silent", this::id, now);
        stored = stored.registered(stored.facts(), now.plusSeconds(3600), now);
        watch = NodeWatch.ofRegistered(stored, "0.1.0");
        Instant first = now;
        assertThat(beat()).isTrue();
        int seconds = 0;
        while (!beat()) {
            seconds++;
        }
        assertThat(seconds).isBetween(8, 10);
        // checks that were slow, but begun after the first asking, count
        beat(TestNodes.allPass(first.plusSeconds(2)));
        assertThat(causes()).isEmpty();
    }

    @Test
    void aFindingOfAnEarlierLifeChangesNothing() {
        Finding late = watch.hear(heartbeat(null, TestNodes.allPass(now), now), now);
        NodeRecord next = stored.registered(stored.facts(), now, now);

        assertThat(late.changesNothing()).isFalse();
        assertThat(late.applyTo(next, this::id, now)).isSameAs(next);
    }

    private NodeRecord joined() {
        NodeFacts facts = TestNodes.facts("r1-n1", 8);
        NodeRecord alive = NodeRecord.joined(facts, now).registered(facts, now.plusSeconds(3600), now);
        return alive.with(alive.holds()
                .with(HoldOpening.byHealth(HoldCause.ADMISSION, "r1-n1", "new", alive.session()), this::id, now));
    }

    private void admitted() {
        beat(TestNodes.allPass(now));
        assertThat(causes()).isEmpty();
    }

    private boolean beat() {
        return beat(List.of());
    }

    private boolean beat(List<CheckResult> checks) {
        return beat(null, checks);
    }

    private boolean beat(@Nullable NodeFacts facts, List<CheckResult> checks) {
        return beat(heartbeat(facts, checks, now));
    }

    private void beatWithClock(long offsetMillis) {
        beat(heartbeat(null, List.of(), now.plusMillis(offsetMillis)));
    }

    private boolean beat(Heartbeat beat) {
        Finding finding = watch.hear(beat, now);
        if (!finding.changesNothing()) {
            writes++;
            learn(finding.applyTo(stored, this::id, now));
            watch.written(finding);
        }
        long nanos = Duration.between(TestNodes.NOON, now).toNanos();
        boolean asked = watch.asksForChecks(beat.agentTime(), now, nanos);
        now = now.plusSeconds(1);
        return asked;
    }

    private Heartbeat heartbeat(@Nullable NodeFacts facts, List<CheckResult> checks, Instant agentTime) {
        return new Heartbeat(stored.session(), 1, agentTime, facts, checks, List.of());
    }

    private NodeFacts facts(List<Integer> gpus, List<Integer> vetoed) {
        return TestNodes.facts(
                "r1-n1",
                gpus.stream()
                        .map(index -> TestNodes.gpu("r1-n1", index, vetoed.contains(index), now))
                        .toList(),
                "127.0.0.1",
                7000);
    }

    private void learn(NodeRecord changed) {
        stored = changed;
        watch.learn(changed);
    }

    private List<HoldCause> causes() {
        return stored.holds().open().stream().map(OpenHold::cause).toList();
    }

    private String id() {
        return "hold_" + ids.incrementAndGet();
    }
}

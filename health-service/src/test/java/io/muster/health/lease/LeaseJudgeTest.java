package io.muster.health.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual milliseconds: a heartbeat is 1,000, a lease 3,000, a sweep every 250. */
class LeaseJudgeTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");

    private final LeaseJudge judge =
            new LeaseJudge(Duration.ofMillis(3000), Duration.ofMillis(1000), Duration.ofMillis(250), 0);
    private final Arbitration arbitration =
            new Arbitration(Duration.ofMillis(4000), Duration.ofMillis(3000), () -> "leaseprobe_1");
    private final Sweeper sweeper = new Sweeper(
            judge, new LossJudge(Duration.ofMillis(3000), arbitration), arbitration, node -> Optional.empty());
    private final Map<NodeId, Long> sequences = new TreeMap<>();
    private long swept;

    @BeforeEach
    void threeNodesLive() {
        judge.beginWith(Map.of(A, 1L, B, 1L, C, 1L), 0);
    }

    @Test
    void aSilentNodeIsOverAfterItsLeaseAndIsNamedOnce() {
        List<ExpiredLease> over = new ArrayList<>();
        for (long now = 0; now <= 10_000; now += 250) {
            if (now % 1000 == 0) {
                beat(A, now);
                beat(B, now);
            }
            for (ExpiredLease expired : sweep(nanos(now))) {
                assertThat(now).isBetween(3000L, 3500L);
                over.add(expired);
            }
        }
        assertThat(over).extracting(ExpiredLease::node).containsExactly(C);
        assertThat(over).extracting(ExpiredLease::session).containsExactly(1L);
        assertThat(judge.alive(C)).isFalse();
        assertThat(judge.alive(A)).isTrue();
    }

    @Test
    void aHeartbeatUnderAnEndedSessionIsToldSoAndANewSessionLives() {
        loseC();

        assertThat(judge.heard(C, 1, 99, nanos(6000))).isEqualTo(Hearing.ENDED);
        assertThat(judge.alive(C)).isFalse();
        judge.begin(C, 2, nanos(6000));
        assertThat(judge.heard(C, 1, 100, nanos(6001))).isEqualTo(Hearing.ENDED);
        assertThat(judge.heard(C, 2, 1, nanos(6002))).isEqualTo(Hearing.ALIVE);
    }

    @Test
    void doubledAndOvertakenHeartbeatsDoNotProlongALease() {
        assertThat(judge.heard(C, 1, 5, nanos(0))).isEqualTo(Hearing.ALIVE);
        for (long now = 250; now <= 3250; now += 250) {
            beat(A, now);
            assertThat(judge.heard(C, 1, 5, nanos(now))).isEqualTo(Hearing.REPEATED);
            assertThat(judge.heard(C, 1, 4, nanos(now))).isEqualTo(Hearing.REPEATED);
            sweep(nanos(now));
        }
        assertThat(judge.alive(C)).isFalse();
    }

    @Test
    void aSessionThatNobodyKnowsIsLookedUp() {
        assertThat(judge.heard(new NodeId("z"), 1, 1, nanos(1))).isEqualTo(Hearing.UNKNOWN);
        assertThat(judge.heard(A, 2, 1, nanos(1))).isEqualTo(Hearing.UNKNOWN);
        assertThat(judge.heard(A, 0, 1, nanos(1))).isEqualTo(Hearing.ENDED);
    }

    @Test
    void anOlderRegistrationThatArrivesLateDoesNotReplaceTheNewer() {
        judge.begin(A, 3, nanos(1));
        judge.begin(A, 2, nanos(2));

        assertThat(judge.heard(A, 3, 1, nanos(3))).isEqualTo(Hearing.ALIVE);
    }

    @Test
    void aLateSweepRestartsAllLeasesInFull() {
        runUntil(2000, A, B);
        // this process stands still for 8 s; agents' heartbeats are lost meanwhile
        assertThat(sweep(nanos(10_000))).isEmpty();
        beat(A, 10_100);
        beat(B, 10_100);
        swept = 10_000;
        List<ExpiredLease> over = runUntil(14_000, A, B);

        assertThat(over).singleElement().satisfies(expired -> {
            assertThat(expired.node()).isEqualTo(C);
            assertThat(expired.silent()).isGreaterThan(Duration.ofSeconds(12));
        });
        assertThat(swept).isEqualTo(14_000);
    }

    @Test
    void aSweepThatIsLateByLessThanHalfAHeartbeatRestartsNothing() {
        runUntil(2500, A, B);
        beat(A, 3100);
        beat(B, 3100);
        assertThat(sweep(nanos(3200))).extracting(ExpiredLease::node).containsExactly(C);
    }

    @Test
    void nobodyIsLostWhileNobodyAtAllIsHeard() {
        assertThat(runUntil(60_000)).isEmpty();
        assertThat(judge.living()).isEqualTo(3);
        // the first that is heard again shows that we can hear: the others get their whole lease
        beat(A, 60_000);
        assertThat(runUntil(62_900, A)).isEmpty();
        assertThat(runUntil(63_600, A)).extracting(ExpiredLease::node).containsExactly(B, C);
    }

    @Test
    void aRegistrationShowsThatWeCanHear() {
        assertThat(runUntil(20_000)).isEmpty();
        judge.begin(new NodeId("z"), 1, nanos(20_000));
        assertThat(sweep(nanos(20_250))).isEmpty();
    }

    @Test
    void aTakeoverRestartsAllLeasesInFull() {
        runUntil(2900, A, B);
        judge.beginWith(Map.of(A, 1L, B, 1L, C, 1L), nanos(3000));
        swept = 3000;
        assertThat(runUntil(6000, A, B)).isEmpty();
        assertThat(runUntil(6500, A, B)).extracting(ExpiredLease::node).containsExactly(C);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aNodeThatBeatsIsNeverLostWhateverTheJudgeSuffers(long seed) {
        Random random = new Random(seed);
        long now = 0;
        long nextBeat = 0;
        for (int step = 0; step < 400; step++) {
            boolean stalls = random.nextInt(20) == 0;
            long next = now + (stalls ? 800 + random.nextInt(20_000) : 100 + random.nextInt(250));
            // heartbeats that are sent while we stand still are lost
            while (!stalls && nextBeat <= next) {
                beat(A, Math.max(now, nextBeat));
                beat(B, Math.max(now, nextBeat));
                nextBeat += 800 + random.nextInt(400);
            }
            if (stalls) {
                nextBeat = next + random.nextInt(1000);
            }
            now = next;
            assertThat(sweep(nanos(now)))
                    .extracting(ExpiredLease::node)
                    .as("seed %d, step %d", seed, step)
                    .doesNotContain(A, B);
        }
    }

    private void loseC() {
        assertThat(runUntil(5000, A, B)).extracting(ExpiredLease::node).containsExactly(C);
    }

    /** Sweeps every 250 ms up to a time; these nodes beat every second. */
    private List<ExpiredLease> runUntil(long end, NodeId... beating) {
        List<ExpiredLease> over = new ArrayList<>();
        for (long now = swept + 250; now <= end; now += 250) {
            if (now % 1000 == 0) {
                for (NodeId node : beating) {
                    beat(node, now);
                }
            }
            over.addAll(sweep(nanos(now)));
            swept = now;
        }
        swept = end;
        return over;
    }

    private void beat(NodeId node, long now) {
        long session = 1;
        judge.heard(node, session, sequences.merge(node, 10L, Long::sum), nanos(now));
    }

    private List<ExpiredLease> sweep(long nanos) {
        List<ExpiredLease> lost = new ArrayList<>();
        for (LeaseVerdict verdict : sweeper.sweep(nanos)) {
            if (verdict instanceof LeaseVerdict.Lost loss) {
                lost.addAll(loss.nodes());
            }
        }
        return lost;
    }

    private static long nanos(long millis) {
        return millis * 1_000_000;
    }
}

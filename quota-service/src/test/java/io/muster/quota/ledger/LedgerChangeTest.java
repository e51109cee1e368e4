package io.muster.quota.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.JobId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.placement.PlacementState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LedgerChangeTest {

    private static final JobId JOB = new JobId("job_00000001");
    private static final TenantId TENANT = new TenantId("research");
    private static final QueuePath QUEUE = new QueuePath("nlp/pretrain");
    private static final long START = PlacementHistories.START.toEpochMilli();

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theBillIsWhatWasHeldWhateverTheDeliveryRepeats(long seed) {
        var random = new Random(seed);
        var history = PlacementHistories.of(JOB, TENANT, QUEUE, seed, random.nextBoolean());
        var ledger = new Book();
        for (PlacementState state : history.states()) {
            int times = 1 + random.nextInt(3);
            for (int i = 0; i < times; i++) {
                ledger.apply(state);
            }
            assertThat(LedgerChange.of(ledger.touched(state), state))
                    .as("the same state once more, seed %d", seed)
                    .isEqualTo(new LedgerChange(List.of(), List.of()));
        }
        assertThat(ledger.byNode(history.end())).as("seed %d", seed).isEqualTo(new TreeMap<>(history.truthByNode()));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aSkippedStateIsNotMissedIfTheLastOfItsGenerationCame(long seed) {
        var random = new Random(seed);
        var history = PlacementHistories.of(JOB, TENANT, QUEUE, seed, random.nextBoolean());
        var ledger = new Book();
        List<PlacementState> states = history.states();
        for (int i = 0; i < states.size(); i++) {
            boolean lastOfGeneration = i == states.size() - 1
                    || states.get(i + 1).generation() != states.get(i).generation();
            if (lastOfGeneration || random.nextBoolean()) {
                ledger.apply(states.get(i));
            }
        }
        assertThat(ledger.byNode(history.end())).as("seed %d", seed).isEqualTo(new TreeMap<>(history.truthByNode()));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void lateStatesOfEarlierGenerationsEndInTheSameBill(long seed) {
        var random = new Random(seed);
        var history = PlacementHistories.of(JOB, TENANT, QUEUE, seed, true);
        List<PlacementState> mixed = new ArrayList<>(history.states());
        int newest = mixed.getLast().generation();
        List<PlacementState> late =
                mixed.stream().filter(state -> state.generation() < newest).toList();
        mixed.removeIf(state -> state.generation() < newest && random.nextBoolean());
        mixed.addAll(late);
        var ledger = new Book();
        mixed.forEach(ledger::apply);
        assertThat(ledger.byNode(history.end())).as("seed %d", seed).isEqualTo(new TreeMap<>(history.truthByNode()));
    }

    @Test
    void anEndThatWasNeverHeardIsTheNextPlacementAtTheLatest() {
        var ledger = new Book();
        ledger.apply(state(1, 0, START, new Long[] {null}));
        ledger.apply(state(2, 5, START + 7_000, new Long[] {null}));
        assertThat(ledger.byNode(START + 8_000)).isEqualTo(Map.of("n0", 8 * 7_000L, "n5", 8 * 1_000L));
    }

    @Test
    void aMemberThatALaterGenerationKeepsIsHeldOnce() {
        var ledger = new Book();
        ledger.apply(state(1, 0, START, new Long[] {null, null}));
        // repaired: n0 is lost, n1 stays from the same moment on, and n2 comes in
        ledger.apply(state(1, 0, START, new Long[] {START + 2_000, null}));
        ledger.apply(state(2, 1, START, new Long[] {null}));
        assertThat(ledger.byNode(START + 10_000)).isEqualTo(Map.of("n0", 8 * 2_000L, "n1", 8 * 10_000L));
        // the earlier generation speaks again: nothing changes
        ledger.apply(state(1, 0, START, new Long[] {START + 2_000, null}));
        assertThat(ledger.byNode(START + 10_000)).isEqualTo(Map.of("n0", 8 * 2_000L, "n1", 8 * 10_000L));
        ledger.apply(state(2, 1, START, new Long[] {START + 4_000}));
        assertThat(ledger.byNode(START + 10_000)).isEqualTo(Map.of("n0", 8 * 2_000L, "n1", 8 * 4_000L));
    }

    @Test
    void aMemberThatTheWholeStateNoLongerHasWasNeverHeld() {
        var ledger = new Book();
        ledger.apply(state(1, 0, START, new Long[] {null, null}));
        ledger.apply(state(1, 0, START, new Long[] {null}));
        assertThat(ledger.byNode(START + 1_000)).isEqualTo(Map.of("n0", 8_000L));
    }

    @Test
    void onlyTheTimeAskedForCounts() {
        var ledger = new Book();
        ledger.apply(state(1, 0, START, new Long[] {START + 10_000}));
        LedgerInterval interval = ledger.all().getFirst();
        assertThat(interval.gpuMillis(0, START + 4_000)).isEqualTo(8 * 4_000);
        assertThat(interval.gpuMillis(START + 4_000, Long.MAX_VALUE)).isEqualTo(8 * 6_000);
        assertThat(interval.gpuMillis(START + 11_000, START + 12_000)).isZero();
        assertThat(interval.gpuMillis(0, START - 1)).isZero();
    }

    private static PlacementState state(int generation, int firstNode, long placed, Long[] until) {
        return PlacementHistories.state(JOB, TENANT, QUEUE, generation, firstNode, 8, placed, until);
    }

    /** What the database does, in memory. */
    private static final class Book {

        private final Map<LedgerInterval.Key, LedgerInterval> rows = new LinkedHashMap<>();

        void apply(PlacementState state) {
            LedgerChange change = LedgerChange.of(touched(state), state);
            change.drop().forEach(rows::remove);
            change.put().forEach(interval -> rows.put(interval.key(), interval));
        }

        List<LedgerInterval> touched(PlacementState state) {
            return rows.values().stream()
                    .filter(row -> row.held() || row.generation() >= state.generation())
                    .toList();
        }

        List<LedgerInterval> all() {
            return List.copyOf(rows.values());
        }

        Map<String, Long> byNode(long now) {
            Map<String, Long> sums = new TreeMap<>();
            rows.values().forEach(row -> sums.merge(row.key().node().value(), row.gpuMillis(0, now), Long::sum));
            return sums;
        }
    }
}

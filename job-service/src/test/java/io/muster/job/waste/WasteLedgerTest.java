package io.muster.job.waste;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WasteLedgerTest {

    private static final Instant T0 = Instant.parse("2026-11-29T12:00:00Z");

    private static Instant at(long seconds) {
        return T0.plusSeconds(seconds);
    }

    @Test
    void aJobThatLosesANodeAndComesBack() {
        List<Held> held = List.of(
                new Held(8, at(0), at(110)),
                new Held(8, at(0), at(103)),
                new Held(8, at(110), at(200)),
                new Held(8, at(110), at(201)));
        List<AttemptSpan> spans = List.of(
                new AttemptSpan(1, at(1), at(10), at(103), at(105), true, 3_000, AttemptSpan.FROM_THE_BEGINNING),
                new AttemptSpan(2, at(111), at(120), at(190), at(199), false, 7_000, at(90)));
        WasteLedger ledger = WasteLedger.of(held, spans, at(500));
        // attempt 1: 2 nodes; 9 s start; 80 s kept of 93 s training; 13 s lost; the healthy node is cleared for 2 s
        long stall = 2 * (80_000L * 3_000 / 93_000) * 8;
        assertThat(ledger.attempts().getFirst())
                .isEqualTo(new WasteLedger.OfAttempt(
                        1,
                        new GpuTime(
                                (104_000 + 102_000) * 8,
                                2 * 80_000 * 8 - stall,
                                stall,
                                2 * 9_000 * 8 + 2_000 * 8,
                                2 * 13_000 * 8,
                                0)));
        assertThat(ledger.attempts().getLast().time())
                .isEqualTo(new GpuTime(2 * 88_000 * 8, 2 * 63_000 * 8, 2 * 7_000 * 8, 2 * 9_000 * 8, 0, 2 * 9_000 * 8));
        // held before attempt 1 began (1 s each), by the healthy node between the two (5 s), by all of attempt 2 around
        // it
        assertThat(ledger.betweenAttempts()).isEqualTo(GpuTime.idle((2_000 + 5_000 + 2_000 + 1_000 + 2_000) * 8));
        assertThat(ledger.total().heldGpuMillis()).isEqualTo((110_000 + 103_000 + 90_000 + 91_000) * 8);
    }

    @Test
    void whatWasKeptOnceIsLostIfALaterAttemptGoesBackBehindIt() {
        List<Held> held = List.of(new Held(1, at(0), null));
        AttemptSpan first = new AttemptSpan(1, at(0), at(0), at(100), at(100), true, 0, AttemptSpan.FROM_THE_BEGINNING);
        AttemptSpan second = new AttemptSpan(2, at(100), at(100), at(200), at(200), true, 0, at(80));
        AttemptSpan older = new AttemptSpan(3, at(200), null, null, null, true, 0, at(40));
        AttemptSpan unknown = new AttemptSpan(3, at(200), null, null, null, true, 0, null);
        assertThat(WasteLedger.of(held, List.of(first, second, older), at(210)).total())
                .isEqualTo(new GpuTime(210_000, 40_000, 0, 10_000, 160_000, 0));
        assertThat(WasteLedger.of(held, List.of(first, second, unknown), at(210))
                        .total())
                .as("until it is known nothing more is lost")
                .isEqualTo(new GpuTime(210_000, 180_000, 0, 10_000, 20_000, 0));
        AttemptSpan fresh = new AttemptSpan(3, at(200), null, null, null, true, 0, AttemptSpan.FROM_THE_BEGINNING);
        assertThat(WasteLedger.of(held, List.of(first, second, fresh), at(210))
                        .total()
                        .usefulGpuMillis())
                .isZero();
    }

    @Test
    void withoutAttemptsOrGpusThereIsNothingOrOnlyIdle() {
        assertThat(WasteLedger.of(List.of(), List.of(), at(9)).total()).isEqualTo(GpuTime.NONE);
        assertThat(WasteLedger.of(List.of(new Held(4, at(0), null)), List.of(), at(9))
                        .total())
                .isEqualTo(GpuTime.idle(36_000));
        assertThatThrownBy(() -> new GpuTime(10, 1, 2, 3, 4, 1)).hasMessageContaining("11 of 10");
    }

    /** Moments of different clocks, in any order, with any of them missing: the parts are the whole, and none is negative. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void thePartsAreTheWholeWhateverTheMoments(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            String what = "seed " + seed + " round " + round;
            List<Held> held = new ArrayList<>();
            long whole = 0;
            Instant now = moment(random);
            for (int i = random.nextInt(6); i > 0; i--) {
                Held one =
                        new Held(1 + random.nextInt(8), moment(random), random.nextInt(4) == 0 ? null : moment(random));
                held.add(one);
                long until = one.until() == null
                        ? now.toEpochMilli()
                        : Math.min(now.toEpochMilli(), one.until().toEpochMilli());
                whole += Math.max(
                                0,
                                until - Math.min(now.toEpochMilli(), one.since().toEpochMilli()))
                        * one.gpus();
            }
            List<AttemptSpan> spans = new ArrayList<>();
            for (int number = 1; number <= random.nextInt(6); number++) {
                spans.add(new AttemptSpan(
                        number,
                        moment(random),
                        maybe(random),
                        maybe(random),
                        maybe(random),
                        random.nextBoolean(),
                        random.nextInt(5) == 0 ? Long.MAX_VALUE : random.nextInt(20_000) - 100,
                        random.nextInt(3) == 0 ? AttemptSpan.FROM_THE_BEGINNING : maybe(random)));
            }
            WasteLedger ledger = WasteLedger.of(held, spans, now);
            GpuTime sum = ledger.betweenAttempts();
            notNegative(sum, what);
            for (WasteLedger.OfAttempt attempt : ledger.attempts()) {
                notNegative(attempt.time(), what);
                sum = sum.plus(attempt.time());
            }
            assertThat(ledger.total()).as(what).isEqualTo(sum);
            assertThat(ledger.total().heldGpuMillis()).as(what).isEqualTo(whole);
        }
    }

    private static void notNegative(GpuTime time, String what) {
        assertThat(List.of(
                        time.usefulGpuMillis(),
                        time.checkpointStallGpuMillis(),
                        time.restartGpuMillis(),
                        time.recomputeGpuMillis(),
                        time.heldIdleGpuMillis()))
                .as(what)
                .allMatch(part -> part >= 0);
    }

    private static Instant moment(Random random) {
        return T0.plusMillis(random.nextInt(60_000)).plusNanos(random.nextInt(1_000_000));
    }

    private static Instant maybe(Random random) {
        return random.nextInt(3) == 0 ? null : moment(random);
    }
}

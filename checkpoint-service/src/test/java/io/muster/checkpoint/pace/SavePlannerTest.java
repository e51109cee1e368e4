package io.muster.checkpoint.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SavePlannerTest {

    private static final Instant START = Instant.parse("2026-11-29T10:00:00Z");

    @Test
    void theFirstPlanIsAProbe() {
        assertThat(SavePlanner.next(null, 100, Duration.ofMinutes(10), START))
                .isEqualTo(new Pace(100, 100, START, 108, 8));
    }

    @Test
    void furtherPlansAreAnIntervalApartAtTheSpeedSinceTheLast() {
        var before = new Pace(100, 100, START, 120, 20);
        // 20 steps took 10 s; 60 s are 120 steps, at most four times 20
        assertThat(SavePlanner.next(before, 120, Duration.ofSeconds(30), START.plusSeconds(10)))
                .isEqualTo(new Pace(120, 120, START.plusSeconds(10), 180, 60));
        assertThat(SavePlanner.next(before, 120, Duration.ofSeconds(60), START.plusSeconds(10))
                        .distance())
                .isEqualTo(80);
        // a part of a step is a whole step
        assertThat(SavePlanner.next(before, 120, Duration.ofMillis(10_100), START.plusSeconds(10))
                        .distance())
                .isEqualTo(21);
    }

    @Test
    void aPlanIsAheadOfEveryMember() {
        var before = new Pace(125, 100, START, 120, 20);
        assertThat(SavePlanner.next(before, 121, Duration.ofSeconds(1), START.plusSeconds(100))
                        .plannedStep())
                .isEqualTo(127);
    }

    @Test
    void aClockThatStandsStillKeepsTheDistance() {
        var before = new Pace(100, 100, START, 120, 20);
        assertThat(SavePlanner.next(before, 120, Duration.ofSeconds(1), START).plannedStep())
                .isEqualTo(140);
        assertThat(SavePlanner.next(before, 120, Duration.ofSeconds(1), START.minusSeconds(5))
                        .plannedStep())
                .isEqualTo(140);
    }

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    /** Ranks in lockstep, some of them a step behind the others, with a speed that wavers. */
    @ParameterizedTest
    @MethodSource("seeds")
    void allRanksSaveAtTheSameStepsAboutAnIntervalApart(long seed) {
        var random = new Random(seed);
        int ranks = 1 + random.nextInt(5);
        long stepMillis = 20 + random.nextInt(400);
        Duration interval = Duration.ofSeconds(5 + random.nextInt(60));
        long start = random.nextInt(1_000);
        var plans = new TreeSet<Long>();
        Pace pace = null;
        List<List<Long>> saves = new ArrayList<>();
        long[] next = new long[ranks];
        int[] behind = new int[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            saves.add(new ArrayList<>());
            behind[rank] = random.nextInt(2);
        }
        List<Long> saveMillis = new ArrayList<>();
        long now = 0;
        for (long tick = start; tick < start + 30_000 && saveMillis.size() < 15; tick++) {
            now += stepMillis / 2 + random.nextLong(stepMillis);
            int first = random.nextInt(ranks);
            for (int turn = 0; turn < ranks; turn++) {
                int rank = (first + turn) % ranks;
                long step = tick - behind[rank];
                if (next[rank] == step && step > start) {
                    saves.get(rank).add(step);
                    if (rank == 0) {
                        saveMillis.add(now);
                    }
                }
                if (next[rank] <= step) {
                    Long known = plans.higher(step);
                    if (known == null) {
                        pace = SavePlanner.next(pace, step, interval, START.plusMillis(now));
                        known = pace.plannedStep();
                        plans.add(known);
                    }
                    next[rank] = known;
                }
            }
        }
        assertThat(saveMillis).hasSizeGreaterThanOrEqualTo(8);
        for (List<Long> own : saves) {
            assertThat(own.subList(0, saveMillis.size() - 1))
                    .as("seed %d", seed)
                    .isEqualTo(saves.getFirst().subList(0, saveMillis.size() - 1));
        }
        long wanted = interval.toMillis();
        for (int i = 10; i < saveMillis.size(); i++) {
            long apart = saveMillis.get(i) - saveMillis.get(i - 1);
            assertThat(apart).as("seed %d, save %d", seed, i).isBetween(wanted / 2, wanted * 2);
        }
    }
}

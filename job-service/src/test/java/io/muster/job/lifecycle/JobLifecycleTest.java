package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.contract.job.JobPhase;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JobLifecycleTest {

    static Stream<Arguments> everyPair() {
        return Arrays.stream(JobPhase.values())
                .flatMap(from -> Arrays.stream(JobTrigger.values()).map(trigger -> Arguments.of(from, trigger)));
    }

    @ParameterizedTest
    @MethodSource("everyPair")
    void aTransitionIsInTheTableOrImpossible(JobPhase from, JobTrigger trigger) {
        List<JobLifecycle.Transition> ways = JobLifecycle.TABLE.stream()
                .filter(way -> way.from() == from && way.trigger() == trigger)
                .toList();
        assertThat(ways.size()).isLessThanOrEqualTo(1);
        if (ways.isEmpty()) {
            assertThat(JobLifecycle.next(from, trigger)).isEmpty();
            assertThatThrownBy(() -> JobLifecycle.after(from, trigger)).hasMessageContaining(from + " by " + trigger);
        } else {
            assertThat(JobLifecycle.after(from, trigger))
                    .isEqualTo(ways.getFirst().to());
        }
    }

    @Test
    void nothingLeadsOutOfAnEnd() {
        assertThat(JobLifecycle.TABLE).noneMatch(way -> way.from().ended());
    }

    @Test
    void anEndIsReachedOnlyFromStoppingOrWhenNothingRan() {
        assertThat(JobLifecycle.TABLE)
                .filteredOn(way -> way.to().ended())
                .allMatch(way -> way.from() == JobPhase.STOPPING || way.trigger() == JobTrigger.DROPPED);
    }

    @Test
    void everyStateIsReachedAndEveryStateCanEnd() {
        assertThat(reachable(JobPhase.QUEUED)).isEqualTo(EnumSet.allOf(JobPhase.class));
        for (JobPhase phase : JobPhase.values()) {
            assertThat(reachable(phase)).as("from %s", phase).anyMatch(JobPhase::ended);
        }
    }

    @Test
    void everyTriggerIsUsed() {
        Set<JobTrigger> used = EnumSet.noneOf(JobTrigger.class);
        JobLifecycle.TABLE.forEach(way -> used.add(way.trigger()));
        assertThat(used).isEqualTo(EnumSet.allOf(JobTrigger.class));
    }

    private static Set<JobPhase> reachable(JobPhase from) {
        Set<JobPhase> seen = EnumSet.of(from);
        ArrayDeque<JobPhase> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            JobPhase phase = open.remove();
            JobLifecycle.TABLE.stream()
                    .filter(way -> way.from() == phase && seen.add(way.to()))
                    .forEach(way -> open.add(way.to()));
        }
        return seen;
    }
}

package io.muster.agent.desired;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.Gang;
import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.id.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConvergenceTest {

    private static final Gang GANG = new Gang("r1-n1", "127.1.1.1", 7070);

    private static AttemptKey key(int attempt) {
        return new AttemptKey(Gang.JOB, attempt);
    }

    private static LocalAttempt local(int attempt, MemberPhase phase) {
        return new LocalAttempt(key(attempt), phase, List.of(0, 1), false);
    }

    private static LocalAttempt another(MemberPhase phase, @Nullable List<Integer> gpus) {
        return new LocalAttempt(new AttemptKey(JobId.of("job_another00"), 1), phase, gpus, false);
    }

    static Stream<Arguments> table() {
        Assignment preflight = GANG.preflight(2);
        Assignment run = GANG.run(2, 4000);
        return Stream.of(
                Arguments.of("new", List.of(preflight), List.of(), List.of(new Action.Begin(preflight))),
                Arguments.of("begun", List.of(preflight), List.of(local(2, MemberPhase.PREFLIGHT)), List.of()),
                Arguments.of(
                        "go",
                        List.of(run),
                        List.of(local(2, MemberPhase.PREFLIGHT_PASSED)),
                        List.of(new Action.Run(run))),
                Arguments.of("too early", List.of(run), List.of(local(2, MemberPhase.PREFLIGHT)), List.of()),
                Arguments.of("failed", List.of(run), List.of(local(2, MemberPhase.PREFLIGHT_FAILED)), List.of()),
                Arguments.of(
                        "no port yet", List.of(preflight), List.of(local(2, MemberPhase.PREFLIGHT_PASSED)), List.of()),
                Arguments.of("runs", List.of(run), List.of(local(2, MemberPhase.RUNNING)), List.of()),
                Arguments.of("ended, never again", List.of(run), List.of(local(2, MemberPhase.EXITED)), List.of()),
                Arguments.of("gone, never again", List.of(run), List.of(local(2, MemberPhase.GONE)), List.of()),
                Arguments.of("lost", List.of(run), List.of(), List.of(new Action.DeclareLost(run, run.task()))),
                Arguments.of(
                        "stop unknown",
                        List.of(Gang.stop(2)),
                        List.of(),
                        List.of(new Action.ConfirmGone(Gang.stop(2)))),
                Arguments.of("stopping", List.of(Gang.stop(2)), List.of(local(2, MemberPhase.STOPPING)), List.of()),
                Arguments.of(
                        "higher supersedes",
                        List.of(preflight),
                        List.of(local(1, MemberPhase.RUNNING)),
                        List.of(new Action.Stop(key(1)))),
                Arguments.of("higher waits", List.of(preflight), List.of(local(1, MemberPhase.STOPPING)), List.of()),
                Arguments.of(
                        "higher begins after gone",
                        List.of(preflight),
                        List.of(local(1, MemberPhase.GONE)),
                        List.of(new Action.Begin(preflight))),
                Arguments.of(
                        "stop of the lower beside the higher is one stop",
                        List.of(Gang.stop(1), preflight),
                        List.of(local(1, MemberPhase.RUNNING)),
                        List.of(new Action.Stop(key(1)))),
                Arguments.of(
                        "waits for another job's processes on its GPUs",
                        List.of(preflight),
                        List.of(another(MemberPhase.RUNNING, List.of(3))),
                        List.of()),
                Arguments.of(
                        "waits while they are being ended",
                        List.of(preflight),
                        List.of(another(MemberPhase.STOPPING, List.of(3))),
                        List.of()),
                Arguments.of(
                        "waits if nobody knows where they are",
                        List.of(preflight),
                        List.of(another(MemberPhase.STOPPING, null)),
                        List.of()),
                Arguments.of(
                        "begins when they are gone",
                        List.of(preflight),
                        List.of(another(MemberPhase.GONE, List.of(3))),
                        List.of(new Action.Begin(preflight))),
                Arguments.of(
                        "begins beside another job on other GPUs",
                        List.of(preflight),
                        List.of(another(MemberPhase.RUNNING, List.of(4, 5))),
                        List.of(new Action.Begin(preflight))),
                Arguments.of("lower is behind", List.of(preflight), List.of(local(3, MemberPhase.RUNNING)), List.of()),
                Arguments.of("unnamed", List.of(), List.of(local(2, MemberPhase.RUNNING)), List.of()),
                Arguments.of(
                        "forget",
                        List.of(),
                        List.of(new LocalAttempt(key(2), MemberPhase.GONE, List.of(0, 1), true)),
                        List.of(new Action.Forget(key(2)))),
                Arguments.of(
                        "named is not forgotten",
                        List.of(Gang.stop(2)),
                        List.of(new LocalAttempt(key(2), MemberPhase.GONE, List.of(0, 1), true)),
                        List.of()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void decides(String name, List<Assignment> desired, List<LocalAttempt> local, List<Action> actions) {
        assertThat(Convergence.decide(desired, local)).isEqualTo(actions);
    }

    @ParameterizedTest
    @EnumSource(MemberPhase.class)
    void stopEndsEveryPhaseThatIsNotEndingAlready(MemberPhase phase) {
        List<Action> actions = Convergence.decide(List.of(Gang.stop(2)), List.of(local(2, phase)));
        boolean ending = phase == MemberPhase.STOPPING || phase == MemberPhase.GONE;
        assertThat(actions).isEqualTo(ending ? List.of() : List.of(new Action.Stop(key(2))));
    }

    @Test
    void theOrderOfTheAssignmentsDoesNotMatter() {
        List<LocalAttempt> local = List.of(local(1, MemberPhase.RUNNING));
        assertThat(Convergence.decide(List.of(Gang.stop(1), GANG.preflight(2)), local))
                .isEqualTo(Convergence.decide(List.of(GANG.preflight(2), Gang.stop(1)), local));
    }

    /**
     * A node that does what is decided at its own pace, while orders for rising attempts are made and delivered late,
     * doubled, in any order or never. Whatever comes: two attempts never have ranks at once, nothing starts twice, and
     * nothing is ended without an order.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void inAnyOrderTwoAttemptsNeverHaveRanksAndNothingStartsTwice(long seed) {
        Random random = new Random(seed);
        Node node = new Node();
        List<List<Assignment>> made = new ArrayList<>(List.of(List.of(GANG.preflight(1))));
        List<Assignment> delivered = List.of();
        for (int round = 0; round < 600; round++) {
            if (random.nextInt(6) == 0) {
                made.add(next(made.getLast(), random));
            }
            if (random.nextInt(3) == 0) {
                boolean late = random.nextInt(5) == 0;
                delivered = late ? made.get(random.nextInt(made.size())) : made.getLast();
            }
            List<LocalAttempt> local = node.phases.entrySet().stream()
                    .map(each -> local(each.getKey(), each.getValue()))
                    .toList();
            List<Action> actions = Convergence.decide(delivered, local);
            assertThat(Convergence.decide(delivered.reversed(), local)).hasSameElementsAs(actions);
            for (Action action : actions) {
                node.apply(action, delivered);
            }
            node.phases.replaceAll((attempt, phase) -> random.nextBoolean() ? later(phase, random) : phase);
            List<Integer> withRanks = node.starts.keySet().stream()
                    .filter(attempt -> node.phases.get(attempt) != MemberPhase.GONE)
                    .toList();
            assertThat(withRanks).as("seed " + seed + " round " + round).hasSizeLessThanOrEqualTo(1);
            assertThat(node.starts.values()).as("seed " + seed).allMatch(count -> count == 1);
        }
        assertThat(node.starts)
                .as("seed " + seed + " started too little: the test tests nothing")
                .hasSizeGreaterThan(3);
    }

    private static List<Assignment> next(List<Assignment> last, Random random) {
        Assignment now = last.getLast();
        Assignment higher = GANG.preflight(now.attempt() + 1);
        return switch (now.action()) {
            case PREFLIGHT ->
                List.of(random.nextInt(4) == 0 ? Gang.stop(now.attempt()) : GANG.run(now.attempt(), 4000));
            case RUN -> random.nextInt(3) == 0 ? List.of(higher) : List.of(Gang.stop(now.attempt()));
            case STOP -> random.nextBoolean() ? List.of(higher) : List.of(now, higher);
        };
    }

    private static final class Node {
        private final Map<Integer, MemberPhase> phases = new TreeMap<>();
        private final Map<Integer, Integer> starts = new TreeMap<>();

        void apply(Action action, List<Assignment> orders) {
            switch (action) {
                case Action.Begin begin ->
                    assertThat(phases.put(begin.assignment().attempt(), MemberPhase.PREFLIGHT))
                            .isNull();
                case Action.Run run -> {
                    phases.put(run.assignment().attempt(), MemberPhase.STARTING);
                    starts.merge(run.assignment().attempt(), 1, Integer::sum);
                }
                case Action.Stop stop -> {
                    int attempt = stop.key().attempt();
                    assertThat(orders)
                            .anyMatch(order -> order.action() == AssignmentAction.STOP
                                    ? order.attempt() == attempt
                                    : order.attempt() > attempt);
                    phases.put(attempt, MemberPhase.STOPPING);
                }
                case Action.ConfirmGone confirm ->
                    phases.put(confirm.assignment().attempt(), MemberPhase.STOPPING);
                case Action.DeclareLost lost -> phases.put(lost.assignment().attempt(), MemberPhase.EXITED);
                case Action.Forget forget -> phases.remove(forget.key().attempt());
            }
        }
    }

    private static MemberPhase later(MemberPhase phase, Random random) {
        return switch (phase) {
            case RECEIVED -> MemberPhase.PREFLIGHT;
            case PREFLIGHT -> random.nextInt(5) == 0 ? MemberPhase.PREFLIGHT_FAILED : MemberPhase.PREFLIGHT_PASSED;
            case STARTING -> MemberPhase.RUNNING;
            case RUNNING -> random.nextInt(5) == 0 ? MemberPhase.EXITED : MemberPhase.RUNNING;
            case STOPPING -> MemberPhase.GONE;
            case PREFLIGHT_PASSED, PREFLIGHT_FAILED, EXITED, GONE -> phase;
        };
    }
}

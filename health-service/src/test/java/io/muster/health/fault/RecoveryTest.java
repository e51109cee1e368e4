package io.muster.health.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultPhase;
import io.muster.contract.fault.FaultSeverity;
import io.muster.contract.fault.FaultState;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What jobs and placements add to the story of a fault. */
class RecoveryTest {

    private static final Instant NOON = Instant.parse("2026-11-02T12:00:00Z");
    private static final JobId JOB = new JobId("job_01k9x3v7q2m4n8p6r0s1t5w9ya");
    private static final JobId OTHER = new JobId("job_01k9x3v7q2m4n8p6r0s1t5w9yb");
    private static final TenantId ACME = new TenantId("acme");
    private static final TenantId ZETA = new TenantId("zeta");
    private static final NodeId LOST = new NodeId("r1-n1");
    private static final NodeId KEPT = new NodeId("r1-n2");
    private static final NodeId FRESH = new NodeId("r2-n1");

    private static Fault fault(FaultLayer layer, String code, TouchedJob... jobs) {
        return Fault.opened(
                new Fault.Opening(
                        "fault_1", "inc_1", layer, code, "node/r1-n1", FaultSeverity.ERROR, "gone", null, at(-3)),
                List.of(LOST),
                List.of(jobs),
                NOON);
    }

    private static Fault lost() {
        return fault(FaultLayer.NODE, "LEASE_EXPIRED", new TouchedJob(JOB, ACME, 8, 1, 1, true));
    }

    private static Instant at(long seconds) {
        return NOON.plusSeconds(seconds);
    }

    private static JobState job(JobPhase phase, @Nullable String reason, int attempt, @Nullable Instant firstStep) {
        return job(phase, reason, attempt, 1, firstStep);
    }

    private static JobState job(
            JobPhase phase, @Nullable String reason, int attempt, int generation, @Nullable Instant firstStep) {
        return new JobState(
                JOB,
                ACME,
                new ProjectId("default"),
                new QueuePath("nlp"),
                "ngram",
                phase,
                reason,
                5,
                false,
                NOON,
                new GangRequest(
                        2, 8, List.of(), null, false, DomainType.CLUSTER, PlacementMode.PREFERRED, null, List.of()),
                true,
                generation,
                attempt,
                List.of(),
                List.of(),
                null,
                null,
                firstStep);
    }

    private static PlacementState placement(
            int generation, List<NodeId> lost, boolean ended, @Nullable Integer repairedBy, NodeId... nodes) {
        List<PlacedMember> members = new ArrayList<>();
        for (NodeId node : nodes) {
            members.add(new PlacedMember(members.size(), node, List.of(0, 1), NOON, null));
        }
        return new PlacementState(
                JOB,
                ACME,
                new ProjectId("default"),
                new QueuePath("nlp"),
                generation,
                1,
                members,
                DomainType.CLUSTER,
                "local",
                NOON,
                ended ? NOON : null,
                lost,
                repairedBy);
    }

    private static List<String> phases(Fault fault) {
        return fault.state().phases().stream().map(FaultPhase::phase).toList();
    }

    private static List<String> actions(Fault fault) {
        return fault.state().actions().stream().map(action -> action.action()).toList();
    }

    private static Fault wholeRecovery(Fault begin) {
        Fault fault = Recovery.after(begin, job(JobPhase.RECOVERING, "NODE_LOST", 1, null), at(1));
        fault = Recovery.after(fault, placement(1, List.of(LOST), false, null, LOST, KEPT), at(1));
        fault = Recovery.after(fault, placement(1, List.of(LOST), true, 2, LOST, KEPT), at(2));
        fault = Recovery.after(fault, placement(2, List.of(), false, null, FRESH, KEPT), at(2));
        fault = Recovery.after(fault, job(JobPhase.STARTING, "PREFLIGHT_RUNNING", 2, null), at(3));
        fault = Recovery.after(fault, job(JobPhase.STARTING, "RANKS_STARTING", 2, null), at(5));
        fault = Recovery.after(fault, job(JobPhase.RUNNING, "ALL_RANKS_UP", 2, null), at(6));
        return Recovery.after(fault, job(JobPhase.RUNNING, "ALL_RANKS_UP", 2, at(9)), at(10));
    }

    @Test
    void aWholeRecoveryHasAllPhasesWithTheirTimes() {
        Fault fault = wholeRecovery(lost());

        assertThat(phases(fault))
                .containsExactly("DETECTED", "DECIDED", "PLACED", "PREFLIGHT", "RESTORED", "RUNNING", "FIRST_STEP");
        assertThat(fault.state().phases())
                .extracting(FaultPhase::seconds)
                .containsExactly(3.0, 4.0, 5.0, 8.0, 8.0, 9.0, 12.0);
        assertThat(actions(fault))
                .containsExactly(
                        "JOB_RECOVERING", "GANG_WOUNDED", "GANG_REPAIRED", "ATTEMPT_STARTED", "RUNNING", "FIRST_STEP");
        assertThat(fault.jobs()).noneMatch(TouchedJob::live);
        assertThat(fault.open()).as("the node is still gone").isTrue();
        assertThat(fault.state().actions().get(1).message())
                .contains("1 of 2 nodes")
                .contains("r1-n1");
        assertThat(fault.state().actions().get(2).message())
                .contains("generation 2")
                .contains("r2-n1");
    }

    @Test
    void whatIsToldTwiceIsNotedOnce() {
        Fault once = wholeRecovery(lost());

        assertThat(wholeRecovery(once)).isEqualTo(once);
        Fault running = Recovery.after(lost(), job(JobPhase.RUNNING, "ALL_RANKS_UP", 2, null), at(6));
        assertThat(Recovery.after(running, job(JobPhase.RUNNING, "ALL_RANKS_UP", 2, null), at(7)))
                .isEqualTo(running);
    }

    @Test
    void theAttemptThatWasHitIsNoRecovery() {
        Fault fault = lost();

        assertThat(Recovery.after(fault, job(JobPhase.RUNNING, "ALL_RANKS_UP", 1, at(1)), at(1)))
                .isEqualTo(fault);
        assertThat(Recovery.after(fault, job(JobPhase.STARTING, "RANKS_STARTING", 1, null), at(1)))
                .isEqualTo(fault);
        assertThat(phases(Recovery.after(fault, job(JobPhase.RECOVERING, "WAITING_FOR_EVIDENCE", 1, null), at(1))))
                .as("nothing is decided while evidence is awaited")
                .containsExactly("DETECTED");
    }

    @Test
    void aGangThatWasTakenOverWasNotReleasedAndOneThatEndedWas() {
        assertThat(actions(Recovery.after(lost(), placement(1, List.of(), true, 2, LOST, KEPT), at(1))))
                .isEmpty();
        assertThat(actions(Recovery.after(lost(), placement(1, List.of(), true, null, LOST, KEPT), at(1))))
                .containsExactly("GANG_RELEASED");
    }

    @Test
    void aRequeueWholeIsPlacedAnewAndNotRepaired() {
        Fault fault = Recovery.after(lost(), placement(1, List.of(LOST), false, null, LOST, KEPT), at(1));
        fault = Recovery.after(fault, placement(1, List.of(), true, null, LOST, KEPT), at(600));
        fault = Recovery.after(fault, job(JobPhase.QUEUED, "REQUEUED", 1, null), at(601));
        fault = Recovery.after(fault, placement(2, List.of(), false, null, FRESH, KEPT), at(700));

        assertThat(actions(fault)).containsExactly("GANG_WOUNDED", "GANG_RELEASED", "JOB_REQUEUED", "GANG_PLACED_ANEW");
        assertThat(phases(fault)).containsExactly("DETECTED", "PLACED");
        assertThat(message(fault, "GANG_PLACED_ANEW"))
                .contains("new place for its whole gang")
                .contains("generation 2")
                .contains("2 nodes: r2-n1, r1-n2");
        assertThat(message(fault, "JOB_REQUEUED")).contains("queue nlp").contains("2 nodes with 8 GPUs each");
    }

    @Test
    void aRepairThatIsToldAfterTheFirstStepBelongsToTheStory() {
        Fault fault = Recovery.after(lost(), job(JobPhase.RECOVERING, "NODE_LOST", 1, null), at(1));
        fault = Recovery.after(fault, job(JobPhase.RUNNING, "ALL_RANKS_UP", 2, 2, at(9)), at(10));
        assertThat(fault.jobs()).as("its placement is not told yet").allMatch(TouchedJob::live);
        fault = Recovery.after(fault, placement(1, List.of(), true, 2, LOST, KEPT), at(2));
        fault = Recovery.after(fault, placement(2, List.of(), false, null, FRESH, KEPT), at(2));

        assertThat(actions(fault)).containsExactly("JOB_RECOVERING", "RUNNING", "FIRST_STEP", "GANG_REPAIRED");
        assertThat(phases(fault)).containsExactly("DETECTED", "DECIDED", "PLACED", "RUNNING", "FIRST_STEP");
        assertThat(fault.jobs()).noneMatch(TouchedJob::live);
    }

    @Test
    void everyGenerationIsToldByItsOwnPredecessor() {
        Fault fault = Recovery.after(lost(), placement(1, List.of(), true, 2, LOST, KEPT), at(1));
        fault = Recovery.after(fault, placement(2, List.of(), false, null, FRESH, KEPT), at(1));
        fault = Recovery.after(fault, placement(2, List.of(), true, 3, FRESH, KEPT), at(2));
        fault = Recovery.after(fault, placement(3, List.of(), false, null, FRESH, KEPT), at(2));
        fault = Recovery.after(fault, placement(3, List.of(), true, null, FRESH, KEPT), at(3));
        fault = Recovery.after(fault, placement(4, List.of(), false, null, FRESH, KEPT), at(4));

        assertThat(actions(fault)).containsExactly("GANG_REPAIRED", "GANG_REPAIRED", "GANG_PLACED_ANEW");
    }

    @Test
    void anAttemptThatBeginsInPlaceIsNotToldAsAStopAndHasItsPhases() {
        Fault fault = Recovery.after(lost(), job(JobPhase.RECOVERING, "NODE_LOST", 1, null), at(1));
        fault = Recovery.after(fault, job(JobPhase.RECOVERING, "PREFLIGHT_RUNNING", 1, null), at(2));
        fault = Recovery.after(fault, job(JobPhase.RECOVERING, "PREFLIGHT_RUNNING", 2, null), at(3));
        fault = Recovery.after(fault, job(JobPhase.RECOVERING, "RANKS_STARTING", 2, null), at(5));

        assertThat(actions(fault)).containsExactly("JOB_RECOVERING", "ATTEMPT_STARTED");
        assertThat(phases(fault)).containsExactly("DETECTED", "DECIDED", "PREFLIGHT", "RESTORED");
        assertThat(message(fault, "JOB_RECOVERING"))
                .isEqualTo("attempt 1 of job ngram (" + JOB + ") is stopped on all 2 nodes, because a node of its gang"
                        + " was lost (NODE_LOST)");
        assertThat(message(fault, "ATTEMPT_STARTED")).contains("attempt 2").contains("with the preflight");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NODE_LOST", "USER_ERROR", "OUT_OF_MEMORY", "A_REASON_OF_TOMORROW"})
    void everyReasonIsASentenceWithItsCode(String reason) {
        Fault fault = Recovery.after(lost(), job(JobPhase.FAILED, reason, 3, null), at(1));

        assertThat(message(fault, "JOB_ENDED"))
                .matches("job ngram \\(job_\\w+\\) has ended as FAILED after attempt 3, because [a-z -]+ \\(" + reason
                        + "\\)");
    }

    private static String message(Fault fault, String action) {
        return fault.state().actions().stream()
                .filter(done -> done.action().equals(action))
                .findFirst()
                .orElseThrow()
                .message();
    }

    @ParameterizedTest
    @EnumSource(
            value = JobPhase.class,
            names = {"SUCCEEDED", "FAILED", "CANCELLED"})
    void everyProcessFaultIsResolvedByTheEndOfItsJob(JobPhase end) {
        Fault rank = fault(FaultLayer.PROCESS, "USER_ERROR", new TouchedJob(JOB, ACME, 8, 1, 1, true));
        Fault over = Recovery.after(rank, job(end, "COMPLETED", 1, null), at(1));

        assertThat(over.status()).isEqualTo(FaultStatus.RESOLVED);
        assertThat(over.jobs()).noneMatch(TouchedJob::live);
        assertThat(Recovery.after(rank, job(JobPhase.RUNNING, "ALL_RANKS_UP", 2, null), at(1))
                        .status())
                .isEqualTo(FaultStatus.RESOLVED);
        assertThat(Recovery.after(rank, job(JobPhase.RUNNING, "ALL_RANKS_UP", 1, null), at(1))
                        .status())
                .isEqualTo(FaultStatus.OPEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NODE_LOST", "WAITING_FOR_EVIDENCE", "PREFLIGHT_FAILED", "CANCELLED_BY_USER", "REQUEUED"})
    void othersAnswerForTheseReasons(String reason) {
        assertThat(Recovery.isRankFault(job(JobPhase.RECOVERING, reason, 1, null)))
                .isFalse();
        assertThat(Recovery.isRankFault(job(JobPhase.RECOVERING, "OUT_OF_MEMORY", 1, null)))
                .isTrue();
        assertThat(Recovery.isRankFault(job(JobPhase.RUNNING, "OUT_OF_MEMORY", 1, null)))
                .isFalse();
        assertThat(Recovery.isRankFault(job(JobPhase.FAILED, "USER_ERROR", 1, null)))
                .isTrue();
    }

    @Test
    void aTenantSeesItsOwnPartOnly() {
        Fault fault = fault(
                        FaultLayer.DOMAIN,
                        "RACK_LOST",
                        new TouchedJob(JOB, ACME, 8, 1, 1, true),
                        new TouchedJob(OTHER, ZETA, 16, 1, 1, true))
                .acted(OTHER, "JOB_RECOVERING", "job", at(1), OTHER + " stops")
                .acted("NODE_HELD", "health", at(1), "EVICT hold");
        FaultState seen = wholeRecovery(fault).seenBy(ACME).state();

        assertThat(seen.blastRadius().jobs()).containsExactly(JOB);
        assertThat(seen.blastRadius().gpus()).isEqualTo(8);
        assertThat(seen.blastRadius().tenants()).isEqualTo(1);
        assertThat(seen.toString()).doesNotContain(OTHER.value());
        assertThat(fault.state().nextStep()).contains("2 gangs");
        assertThat(fault.seenBy(ACME).state().nextStep()).contains("1 gang");
    }

    @Test
    void theLastOfSeveralJobsEndsThePhase() {
        Fault fault =
                lost().passed(JOB, PassedPhase.Phase.RUNNING, at(5)).passed(OTHER, PassedPhase.Phase.RUNNING, at(9));

        assertThat(fault.state().phases().getLast().seconds()).isEqualTo(12.0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whateverIsToldInWhateverOrderTheStoryStaysSound(long seed) {
        Random random = new Random(seed);
        Fault fault = random.nextBoolean()
                ? lost()
                : fault(FaultLayer.PROCESS, "OUT_OF_MEMORY", new TouchedJob(JOB, ACME, 8, 1, 1, true));
        for (int i = 0; i < 400; i++) {
            Instant at = at(random.nextInt(100) - 10);
            JobPhase phase = JobPhase.values()[random.nextInt(JobPhase.values().length)];
            Fault before = fault;
            fault = random.nextBoolean()
                    ? Recovery.after(fault, job(phase, "REASON_" + random.nextInt(50), random.nextInt(4), at), at)
                    : Recovery.after(
                            fault,
                            placement(
                                    random.nextInt(4),
                                    random.nextBoolean() ? List.of(LOST) : List.of(),
                                    random.nextBoolean(),
                                    random.nextBoolean() ? 2 : null,
                                    LOST,
                                    KEPT),
                            at);
            assertThat(before.open() || !fault.open()).as("nothing opens again").isTrue();
            assertThat(fault.actions().size()).isLessThanOrEqualTo(Fault.MOST_ACTIONS);
            assertThat(fault.phases()).allMatch(passed -> passed.seconds() >= 0);
            assertThat(phases(fault)).doesNotHaveDuplicates();
            if (fault.resolvedAt() != null) {
                assertThat(fault.resolvedAt()).isAfterOrEqualTo(fault.detectedAt());
            }
        }
        assertThat(Arrays.stream(FaultLayer.values())
                        .map(layer -> fault(layer, "X").state().nextStep()))
                .noneMatch(String::isBlank);
    }
}

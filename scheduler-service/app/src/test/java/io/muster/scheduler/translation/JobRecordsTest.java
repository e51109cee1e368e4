package io.muster.scheduler.translation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.job.Spread;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduler.Given;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.JobWish;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JobRecordsTest {

    private static final JobState QUEUED = Given.queued(Given.job(1), Given.gang(2, 8));

    @ParameterizedTest
    @CsvSource({
        "QUEUED, PLACEMENT",
        "SUSPENDED, PLACEMENT",
        "STARTING, KEEPING",
        "RUNNING, KEEPING",
        "RECOVERING, KEEPING",
        "STOPPING, NOTHING",
        "SUCCEEDED, ENDED",
        "FAILED, ENDED",
        "CANCELLED, ENDED"
    })
    void onlyAJobWithoutAnAttemptUnderWayWantsAPlacementAndOneWithKeepsWhatItHas(JobPhase phase, JobWish wish) {
        assertThat(JobRecords.of(Given.phase(QUEUED, phase, 1, List.of())).wish())
                .isEqualTo(wish);
    }

    @Test
    void everythingAskedForReachesTheCore() {
        var gang = new GangRequest(
                4,
                8,
                List.of("H200", "H100"),
                "550.54",
                true,
                DomainType.RACK,
                PlacementMode.PREFERRED,
                new Spread(DomainType.POWER, 2),
                List.of(Given.node(1, 1)));
        JobState job = Given.requeued(
                Given.queued(Given.job(1), Given.ACME, Given.RESEARCH, gang, 7),
                1,
                List.of(),
                List.of(Given.node(2, 2)));

        JobChanged record = JobRecords.of(job);

        assertThat(record.job().value()).isEqualTo("job_00000001");
        assertThat(record.seenGeneration()).isEqualTo(1);
        assertThat(record.demand().queue().value()).isEqualTo("research");
        assertThat(record.demand().priority()).isEqualTo(7);
        assertThat(record.demand().requeued()).isTrue();
        assertThat(record.demand().submission()).isEqualTo(Given.NOON.toEpochMilli() * 1000);
        assertThat(record.demand().gang().nodes()).isEqualTo(4);
        assertThat(record.demand().gang().gpuModels())
                .extracting(Object::toString)
                .containsExactly("H200", "H100");
        assertThat(record.demand().gang().minDriver()).hasToString("550.54");
        assertThat(record.demand().gang().equalDriver()).isTrue();
        assertThat(record.demand().gang().within()).hasToString("RACK");
        assertThat(record.demand().gang().mode()).hasToString("PREFERRED");
        assertThat(record.demand().gang().spread()).hasToString("SpreadLimit[domain=POWER, maxNodes=2]");
        assertThat(record.demand().gang().avoidNodes())
                .extracting(Object::toString)
                .containsExactly("r1-n1");
        assertThat(record.demand().gang().failedNodes())
                .extracting(Object::toString)
                .containsExactly("r2-n2");
    }

    @ParameterizedTest
    @EnumSource(DomainType.class)
    void levelsHaveTheSameNames(DomainType type) {
        assertThat(JobRecords.domain(type).name()).isEqualTo(type.name());
    }

    @Test
    void aDriverThatIsNoVersionIsRefusedWithItsName() {
        var gang = new GangRequest(
                1, 8, List.of(), "newest", true, DomainType.CLUSTER, PlacementMode.REQUIRED, null, List.of());

        assertThatThrownBy(() -> JobRecords.gang(gang, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("newest");
    }

    @Test
    void aJobFreesTheMembersItNamesForTheGenerationItSpeaksOf() {
        NodeId first = Given.node(1, 1);
        NodeId second = Given.node(1, 2);
        NodeId third = Given.node(1, 3);
        var held = new PlacementState(
                QUEUED.jobId(),
                Given.ACME,
                Given.LLM,
                Given.RESEARCH,
                2,
                1,
                List.of(
                        new PlacedMember(0, first, List.of(0), Given.NOON, null),
                        new PlacedMember(1, second, List.of(0), Given.NOON, Given.NOON),
                        new PlacedMember(2, third, List.of(0), Given.NOON, null)),
                DomainType.RACK,
                "rack-1",
                Given.NOON,
                null,
                List.of(),
                null);
        List<NodeId> all = List.of(first, second, third);

        assertThat(Releases.of(Given.phase(QUEUED, JobPhase.CANCELLED, 1, all), held))
                .isEmpty();
        assertThat(Releases.of(Given.phase(QUEUED, JobPhase.STOPPING, 2, List.of(first, second)), held))
                .containsExactly(first);
        assertThat(Releases.of(Given.phase(QUEUED, JobPhase.CANCELLED, 2, all), held))
                .containsExactly(first, third);
        assertThat(Releases.of(Given.phase(QUEUED, JobPhase.CANCELLED, 2, List.of()), held))
                .isEmpty();
    }
}

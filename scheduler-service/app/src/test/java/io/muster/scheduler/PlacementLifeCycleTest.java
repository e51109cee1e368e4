package io.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.contract.EventType;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduler.FakeOwners.Heard;
import io.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two racks of four nodes with eight GPUs each; what a job goes through until its GPUs are free again. */
class PlacementLifeCycleTest {

    private static final JobId ID = Given.job(1);
    private static final NodeId R1N1 = Given.node(1, 1);

    @TempDir
    static Path keys;

    private FakeOwners owners;
    private RunningScheduler scheduler;

    @BeforeEach
    void start() {
        owners = new FakeOwners();
        scheduler = RunningScheduler.start(TestDatabases.fresh("sched"), keys);
        owners.publish(Given.tree(1, null));
        owners.publish(Given.cluster(2, 4));
        scheduler.awaitGpus(64);
    }

    @AfterEach
    void stop() {
        scheduler.close();
        owners.close();
    }

    @Test
    void aGangIsPlacedWholeAndFreedMemberByMember() {
        JobState job = Given.queued(ID, Given.gang(2, 8, DomainType.RACK));
        owners.publish(job);

        Heard placed = nextOf(ID, 1);
        assertThat(placed.type()).isEqualTo(EventType.GANG_PLACED.type());
        PlacementState gang = placed.state();
        assertThat(gang.generation()).isEqualTo(1);
        assertThat(gang.epoch()).isPositive();
        assertThat(gang.tenant()).isEqualTo(Given.ACME);
        assertThat(gang.queue()).isEqualTo(Given.RESEARCH);
        assertThat(gang.reachedLevel()).isEqualTo(DomainType.RACK);
        assertThat(gang.members()).hasSize(2).extracting(PlacedMember::nodeRank).containsExactly(0, 1);
        assertThat(gang.members()).allSatisfy(member -> {
            assertThat(member.gpus()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(member.since()).isEqualTo(gang.placedAt());
            assertThat(member.until()).isNull();
        });

        NodeId first = gang.members().get(0).node();
        NodeId second = gang.members().get(1).node();
        owners.publish(Given.phase(job, JobPhase.RUNNING, 1, List.of()));
        owners.publish(Given.phase(job, JobPhase.STOPPING, 1, List.of()));
        owners.publish(Given.phase(job, JobPhase.STOPPING, 1, List.of(second)));

        Heard changed = nextOf(ID, 2);
        assertThat(changed.type()).isEqualTo(EventType.GANG_CHANGED.type());
        assertThat(changed.sequence()).isGreaterThan(placed.sequence());
        assertThat(changed.state().endedAt()).isNull();
        assertThat(changed.state().members().get(0).until()).isNull();
        assertThat(changed.state().members().get(1).until()).isAfterOrEqualTo(gang.placedAt());

        owners.publish(Given.phase(job, JobPhase.CANCELLED, 1, List.of(first, second)));

        Heard released = nextOf(ID, 3);
        assertThat(released.type()).isEqualTo(EventType.GANG_RELEASED.type());
        assertThat(released.state().endedAt())
                .isEqualTo(released.state().members().get(0).until());
        assertThat(released.state().members().get(1).until())
                .isEqualTo(changed.state().members().get(1).until());
        assertThat(scheduler.repairList()).containsExactly(released.state());
        assertThat(heldGpus()).isZero();
    }

    @Test
    void aJobThatEndedBeforeItsPlacementArrivedKeepsItUntilItAnswersForIt() {
        JobState job = Given.queued(ID, Given.gang(2, 8));
        owners.publish(job);
        PlacementState gang = nextOf(ID, 1).state();

        owners.publish(Given.phase(job, JobPhase.CANCELLED, 0, nodes(gang)));
        owners.publish(Given.queued(Given.job(2), Given.gang(8, 8)));
        await().until(() -> scheduler
                        .asService("/internal/services/jobs/" + Given.job(2) + "/explanation")
                        .status()
                == 200);
        assertThat(heldGpus()).as("a request to cancel frees nothing").isEqualTo(16);

        owners.publish(Given.phase(job, JobPhase.CANCELLED, 1, nodes(gang)));

        assertThat(nextOf(ID, 2).type()).isEqualTo(EventType.GANG_RELEASED.type());
        assertThat(nextOf(Given.job(2), 1).state().members()).hasSize(8);
    }

    @Test
    void aGangReleasedAfterAFailedPreflightIsPlacedAnewWithoutTheBlamedNode() {
        JobState job = Given.queued(ID, Given.gang(4, 8, DomainType.RACK));
        owners.publish(job);
        PlacementState first = nextOf(ID, 1).state();
        NodeId blamed = first.members().get(1).node();

        owners.publish(Given.requeued(job, 1, nodes(first), List.of(blamed)));

        assertThat(nextOf(ID, 2).state().endedAt()).isNotNull();
        PlacementState second = nextOf(ID, 3).state();
        assertThat(second.generation()).isEqualTo(2);
        assertThat(nodes(second)).doesNotContain(blamed).hasSize(4);
        assertThat(second.reachedDomain()).isNotEqualTo(first.reachedDomain());
        assertThat(second.placedAt()).isAfterOrEqualTo(first.placedAt());
    }

    @Test
    void anEvictionFreesItsNodeAtOnceAndNothingIsPlacedThere() {
        JobState job = Given.queued(ID, Given.gang(8, 8));
        owners.publish(job);
        nextOf(ID, 1);
        owners.publish(Given.phase(job, JobPhase.RUNNING, 1, List.of()));

        owners.publish(Given.with(
                Given.healthy(R1N1, "rack-1"), Given.hold(HoldScope.NODE, "r1-n1", HoldEffect.EVICT, "LEASE_EXPIRED")));

        assertThat(nextOf(ID, 2).type()).isEqualTo(EventType.GANG_WOUNDED.type());
        PlacementState wounded = nextOf(ID, 2).state();
        assertThat(wounded.lost()).containsExactly(R1N1);
        assertThat(wounded.endedAt()).isNull();
        assertThat(wounded.members())
                .allSatisfy(member -> assertThat(member.until() != null)
                        .isEqualTo(member.node().equals(R1N1)));

        owners.publish(Given.queued(Given.job(2), Given.gang(1, 8)));
        await().untilAsserted(() -> assertThat(
                        explanation(Given.job(2)).path("reason").asString(""))
                .isEqualTo("WAITING_FOR_HEALTHY_NODES"));
        assertThat(owners.placements(Given.job(2))).isEmpty();

        owners.publish(Given.recovering(job, 1, List.of(), List.of(R1N1)));
        scheduler.awaitPhase(ID, JobPhase.RECOVERING);
        owners.publish(Given.healthy(R1N1, "rack-1"));
        assertThat(nodes(nextOf(Given.job(2), 1).state())).containsExactly(R1N1);
    }

    @Test
    void aJobWhoseNodesWereAllEvictedIsNotPlacedBehindJobServicesBack() {
        JobState job = Given.queued(ID, Given.gang(1, 8));
        owners.publish(job);
        PlacementState gang = nextOf(ID, 1).state();
        NodeId node = gang.members().getFirst().node();
        owners.publish(Given.phase(job, JobPhase.RUNNING, 1, List.of()));
        owners.publish(Given.with(
                Given.healthy(node, "rack-" + node.value().charAt(1)),
                Given.hold(HoldScope.NODE, node.value(), HoldEffect.EVICT, "LEASE_EXPIRED")));
        assertThat(nextOf(ID, 2).type()).isEqualTo(EventType.GANG_RELEASED.type());

        owners.publish(Given.queued(Given.job(2), Given.gang(1, 8)));
        nextOf(Given.job(2), 1);
        assertThat(owners.placements(ID)).hasSize(2);

        owners.publish(Given.requeued(job, 1, List.of(node), List.of(node)));
        assertThat(nextOf(ID, 3).state().generation()).isEqualTo(2);
    }

    @Test
    void doubledAndLateEventsChangeNothing() {
        JobState job = Given.queued(ID, Given.gang(2, 8));
        owners.publishAs(5, job);
        PlacementState gang = nextOf(ID, 1).state();
        owners.publishAs(7, Given.phase(job, JobPhase.CANCELLED, 1, nodes(gang)));
        assertThat(nextOf(ID, 2).type()).isEqualTo(EventType.GANG_RELEASED.type());

        owners.publishAs(5, job);
        owners.publishAs(6, Given.requeued(job, 1, nodes(gang), List.of()));
        owners.publishAs(7, Given.requeued(job, 1, nodes(gang), List.of()));
        owners.publishAs(
                0,
                Given.with(
                        Given.healthy(R1N1, "rack-1"), Given.hold(HoldScope.NODE, "r1-n1", HoldEffect.EVICT, "OLD")));
        owners.publish(Given.queued(Given.job(2), Given.gang(8, 8)));

        assertThat(nextOf(Given.job(2), 1).state().members()).as("no late hold").hasSize(8);
        assertThat(owners.placements(ID)).as("the ended job stays ended").hasSize(2);
    }

    @Test
    void aJobThatTheCoreCannotExpressIsParkedAndStopsNobody() {
        owners.publish(Given.queued(ID, Given.gang(1, 100)));
        owners.publish(Given.queued(Given.job(2), Given.gang(1, 8)));

        assertThat(nextOf(Given.job(2), 1).state().members()).hasSize(1);
        assertThat(owners.placements(ID)).isEmpty();
    }

    private Heard nextOf(JobId job, int count) {
        await().until(() -> owners.placements(job).size() >= count);
        return owners.placements(job).get(count - 1);
    }

    private tools.jackson.databind.JsonNode explanation(JobId job) {
        return scheduler
                .asService("/internal/services/jobs/" + job + "/explanation")
                .body();
    }

    private long heldGpus() {
        return scheduler
                .sql()
                .sql("SELECT count(*) FROM held_gpu")
                .query(Long.class)
                .single();
    }

    private static List<NodeId> nodes(PlacementState state) {
        return state.members().stream().map(PlacedMember::node).toList();
    }
}

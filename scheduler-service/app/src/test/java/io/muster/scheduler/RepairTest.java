package io.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.contract.EventType;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.identity.Role;
import io.muster.scheduler.FakeOwners.Heard;
import io.muster.scheduler.leadership.Leadership;
import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two racks of four nodes; a gang loses members and is made whole, or not. */
class RepairTest {

    private static final JobId ID = Given.job(1);

    @TempDir
    static Path keys;

    private TestDatabase database;
    private FakeOwners owners;
    private RunningScheduler scheduler;

    @BeforeEach
    void start() {
        owners = new FakeOwners();
        database = TestDatabases.fresh("repair");
        scheduler = RunningScheduler.start(database, keys);
        owners.publish(Given.tree(1, 64L));
        owners.publish(Given.cluster(2, 4));
        scheduler.awaitGpus(64);
    }

    @AfterEach
    void stop() {
        scheduler.close();
        owners.close();
    }

    @Test
    void aLostMemberIsReplacedByTheSpareAndALostReplacementByAnother() {
        owners.publish(Given.spare(healthy(2, 4)));
        await().until(() -> capacity(scheduler).path("spare").asInt() == 8);
        assertThat(capacity(scheduler).path("free").asInt()).isEqualTo(56);
        JobState job = Given.queued(ID, Given.gang(4, 8));
        owners.publish(job);
        PlacementState first = heard(1).state();
        owners.publish(Given.queued(Given.job(2), Given.gang(4, 8)));
        await().until(() -> explanation(scheduler, Given.job(2)).has("sentence"));
        assertThat(explanation(scheduler, Given.job(2)).path("sentence").asString())
                .contains("24 matching GPUs are free; 1 node is kept as a spare for repairs (r2-n4)");
        owners.publish(Given.phase(job, JobPhase.RUNNING, 1, List.of()));

        owners.publish(lost(1, 2));

        assertThat(types(4))
                .containsExactly(
                        EventType.GANG_PLACED, EventType.GANG_WOUNDED, EventType.GANG_CHANGED, EventType.GANG_REPAIRED);
        PlacementState wounded = heard(2).state();
        assertThat(wounded.generation()).isEqualTo(1);
        assertThat(wounded.lost()).containsExactly(Given.node(1, 2));
        assertThat(wounded.endedAt()).isNull();
        PlacementState ended = heard(3).state();
        assertThat(ended.generation()).isEqualTo(1);
        assertThat(ended.repairedBy()).isEqualTo(2);
        assertThat(ended.lost()).as("replaced").isEmpty();
        PlacementState repaired = heard(4).state();
        assertThat(repaired.generation()).isEqualTo(2);
        assertThat(nodes(repaired))
                .as("the spare, in the rank of the lost one")
                .containsExactly(Given.node(1, 1), Given.node(2, 4), Given.node(1, 3), Given.node(1, 4));
        assertThat(repaired.members())
                .allSatisfy(member -> assertThat(member.since()).isEqualTo(ended.endedAt()));
        assertThat(repaired.members().get(2).gpus())
                .isEqualTo(first.members().get(2).gpus());

        // no attempt has started on it yet, and job-service has not even noticed it
        owners.publish(Given.with(
                Given.spare(healthy(2, 4)), Given.hold(HoldScope.NODE, "r2-n4", HoldEffect.EVICT, "LEASE_EXPIRED")));

        assertThat(types(7).subList(4, 7))
                .containsExactly(EventType.GANG_WOUNDED, EventType.GANG_CHANGED, EventType.GANG_REPAIRED);
        assertThat(heard(5).state().generation()).isEqualTo(2);
        assertThat(heard(5).state().lost()).containsExactly(Given.node(2, 4));
        assertThat(heard(7).state().generation()).isEqualTo(3);
        assertThat(nodes(heard(7).state()).get(1).value()).matches("r2-n[123]");

        owners.publish(lost(1, 2));
        owners.publishAs(1, healthy(1, 2));
        owners.publish(lost(1, 2));
        nothingMoreHappens(7);
        assertThat(scheduler.repairList())
                .filteredOn(state -> state.jobId().equals(ID))
                .containsExactly(heard(3).state(), heard(6).state(), heard(7).state());
        assertThat(scheduler.text("/actuator/prometheus"))
                .contains("muster_gang_wounds_total 2.0", "muster_gang_repairs_total 2.0")
                .contains("muster_gang_repair_seconds_count 2", "muster_gpus{state=\"spare\"}");
        sound(scheduler);
    }

    @Test
    void withoutAReplacementTheGangKeepsItsPlaceUntilAnotherLeaderFindsOne() {
        JobState job = Given.queued(ID, Given.gang(8, 8));
        owners.publish(job);
        PlacementState first = heard(1).state();
        owners.publish(Given.phase(job, JobPhase.RUNNING, 1, List.of()));
        owners.publish(lost(1, 1));
        assertThat(types(2)).containsExactly(EventType.GANG_PLACED, EventType.GANG_WOUNDED);

        // a second loss before the repair: the same generation with the union
        owners.publish(lost(2, 3));
        PlacementState wounded = heard(3).state();
        assertThat(heard(3).type()).isEqualTo(EventType.GANG_WOUNDED.type());
        assertThat(wounded.generation()).isEqualTo(1);
        assertThat(wounded.lost()).containsExactly(Given.node(1, 1), Given.node(2, 3));
        await().until(() ->
                explanation(scheduler, ID).path("numbers").path("lostNodes").asInt() == 2);
        JsonNode why = explanation(scheduler, ID);
        assertThat(why.path("reason").asString()).isEqualTo("WAITING_FOR_REPLACEMENT");
        assertThat(why.path("sentence").asString()).contains("lost 2 nodes (r1-n1, r2-n3) and keeps 6; 0 of 2");
        assertThat(why.path("hint").asString()).contains("/spare", "lifting their cordons");
        assertThat(scheduler.text("/actuator/prometheus"))
                .contains("muster_jobs_waiting{reason=\"WAITING_FOR_REPLACEMENT\"} 1.0");

        // the lost nodes come back, and for this job they are not used again; its place in the quota is kept
        owners.publish(Given.recovering(job, 1, List.of(), wounded.lost()));
        scheduler.awaitPhase(ID, JobPhase.RECOVERING);
        owners.publish(healthy(1, 1), healthy(2, 3));
        owners.publish(Given.queued(Given.job(2), Given.gang(1, 8)));
        await().untilAsserted(() -> assertThat(
                        explanation(scheduler, Given.job(2)).path("reason").asString(""))
                .isEqualTo("WAITING_FOR_QUOTA"));

        try (var second = RunningScheduler.start(database, keys)) {
            long epoch = takeOver(second);
            owners.publish(Given.healthy(Given.node(3, 1), "rack-3"), Given.healthy(Given.node(3, 2), "rack-3"));

            PlacementState repaired = heard(5).state();
            assertThat(heard(5).type()).isEqualTo(EventType.GANG_REPAIRED.type());
            assertThat(repaired.epoch()).isEqualTo(epoch);
            assertThat(repaired.lost()).isEmpty();
            for (PlacedMember member : repaired.members()) {
                NodeId before = first.members().get(member.nodeRank()).node();
                boolean replaced = wounded.lost().contains(before);
                assertThat(member.node().equals(before)).isEqualTo(!replaced);
                assertThat(member.node().value().startsWith("r3-")).isEqualTo(replaced);
            }
            sound(second);
        }
    }

    @Test
    void whatIsGivenBackOrNotWantedAnyMoreIsNotRepaired() {
        JobState given = Given.queued(ID, Given.gang(3, 8));
        owners.publish(given);
        List<NodeId> members = nodes(heard(1).state());
        owners.publish(Given.recovering(given, 1, members.subList(0, 1), List.of()));
        assertThat(types(2)).endsWith(EventType.GANG_CHANGED);
        owners.publish(lost(members.get(1)));
        assertThat(types(3)).endsWith(EventType.GANG_WOUNDED);

        JobState cancelled = Given.queued(Given.job(2), Given.gang(2, 8));
        owners.publish(cancelled);
        List<NodeId> others = nodes(heard(Given.job(2), 1).state());
        owners.publish(Given.phase(cancelled, JobPhase.STOPPING, 1, List.of()));
        scheduler.awaitPhase(Given.job(2), JobPhase.STOPPING);
        owners.publish(lost(others.get(0)));
        assertThat(heard(Given.job(2), 2).type()).isEqualTo(EventType.GANG_WOUNDED.type());
        nothingMoreHappens(3);
        assertThat(owners.placements(Given.job(2))).hasSize(2);

        // what was lost and what was given back is known after a restart
        scheduler.close();
        scheduler = RunningScheduler.start(database, keys);
        owners.publish(lost(members.get(2)));
        Heard last = heard(4);
        assertThat(last.type()).isEqualTo(EventType.GANG_RELEASED.type());
        assertThat(last.state().lost()).containsExactly(members.get(1), members.get(2));
        owners.publish(Given.phase(cancelled, JobPhase.CANCELLED, 1, others));
        assertThat(heard(Given.job(2), 3).type()).isEqualTo(EventType.GANG_RELEASED.type());
        assertThat(heard(Given.job(2), 3).state().lost()).containsExactly(others.get(0));
        sound(scheduler);
    }

    /** A job that fits by itself is placed, and nothing was heard of the gang meanwhile. */
    private void nothingMoreHappens(int heard) {
        JobId barrier = Given.job(99);
        owners.publish(Given.queued(barrier, Given.gang(1, 1)));
        heard(barrier, 1);
        assertThat(owners.placements(ID)).hasSize(heard);
    }

    private Heard heard(int count) {
        return heard(ID, count);
    }

    private Heard heard(JobId job, int count) {
        await().until(() -> owners.placements(job).size() >= count);
        return owners.placements(job).get(count - 1);
    }

    private List<EventType> types(int count) {
        heard(count);
        return owners.placements(ID).stream()
                .map(heard -> Arrays.stream(EventType.values())
                        .filter(type -> type.type().equals(heard.type()))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    private static long takeOver(RunningScheduler second) {
        await().until(() -> {
            second.sql().sql("UPDATE leadership SET expires_at = '-infinity'").update();
            return second.bean(Leadership.class).epoch().isPresent();
        });
        return second.bean(Leadership.class).epoch().orElseThrow();
    }

    private static void sound(RunningScheduler scheduler) {
        var checker = new AllocationChecker(scheduler.sql());
        checker.noGpuWasEverHeldTwice();
        checker.heldGpusAreThoseOfLiveMembers();
        checker.repairsLeaveNoGapAndNoOverlap();
    }

    private static JsonNode capacity(RunningScheduler scheduler) {
        return scheduler
                .asUser(Given.ACME, Role.VIEWER, "/api/v1/cluster/capacity")
                .body()
                .path("models")
                .path(0);
    }

    private static JsonNode explanation(RunningScheduler scheduler, JobId job) {
        return scheduler
                .asService("/internal/services/jobs/" + job + "/explanation")
                .body();
    }

    private static NodeState healthy(int rack, int number) {
        return Given.healthy(Given.node(rack, number), "rack-" + rack);
    }

    private static NodeState lost(int rack, int number) {
        return lost(Given.node(rack, number));
    }

    private static NodeState lost(NodeId node) {
        return Given.with(
                Given.healthy(node, "rack-" + node.value().charAt(1)),
                Given.hold(HoldScope.NODE, node.value(), HoldEffect.EVICT, "LEASE_EXPIRED"));
    }

    private static List<NodeId> nodes(PlacementState state) {
        return state.members().stream().map(PlacedMember::node).toList();
    }
}

package io.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduler.allocation.Commit;
import io.muster.scheduler.allocation.CommitOutcome;
import io.muster.scheduler.allocation.PlacementLedger;
import io.muster.scheduler.leadership.Leadership;
import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.DataIntegrityViolationException;

/** Two instances on one database: one decides, the other answers; and what was decided survives both. */
class FencingTest {

    @TempDir
    static Path keys;

    private TestDatabase database;
    private FakeOwners owners;
    private RunningScheduler first;

    @BeforeEach
    void start() {
        owners = new FakeOwners();
        database = TestDatabases.fresh("fence");
        first = RunningScheduler.start(database, keys);
        owners.publish(Given.tree(1, null));
        owners.publish(Given.cluster(2, 4));
        first.awaitGpus(64);
    }

    @AfterEach
    void stop() {
        first.close();
        owners.close();
    }

    @Test
    void anInstanceWhoseLeaseRanOutCommitsNothingMore() {
        PlacementState gang = placed(1, 2);
        long oldEpoch = first.bean(Leadership.class).epoch().orElseThrow();

        try (var second = RunningScheduler.start(database, keys)) {
            long newEpoch = takeOver(second);
            assertThat(newEpoch).isGreaterThan(oldEpoch);

            // whatever the first had in hand: a release, a placement
            var ledger = first.bean(PlacementLedger.class);
            assertThat(ledger.write(new Commit(List.of(releaseAll(gang)), List.of(), List.of()), oldEpoch))
                    .isEqualTo(new CommitOutcome.Fenced());
            assertThat(ledger.write(new Commit(List.of(), List.of(), List.of(placing(9, "r2-n4"))), oldEpoch))
                    .isEqualTo(new CommitOutcome.Fenced());
            assertThat(ledger.write(repair(gang, "r2-n4"), oldEpoch)).isEqualTo(new CommitOutcome.Fenced());

            await().until(() -> first.bean(Leadership.class).epoch().isEmpty());
            PlacementState next = placed(2, 6);
            assertThat(next.epoch()).isEqualTo(newEpoch);
            assertThat(owners.placements(Given.job(9))).isEmpty();
            assertThat(owners.placements(Given.job(1))).hasSize(1);
            var checker = new AllocationChecker(second.sql());
            assertThat(checker.held()).isEqualTo(64);
            checker.noGpuWasEverHeldTwice();
            checker.heldGpusAreThoseOfLiveMembers();
        }
    }

    @Test
    void aStandbyAnswersLikeTheLeaderAndTakesOverWhenTheLeaderIsGone() {
        placed(1, 8);
        owners.publish(Given.queued(Given.job(2), Given.gang(1, 8)));
        try (var second = RunningScheduler.start(database, keys)) {
            String path = "/internal/services/jobs/" + Given.job(2) + "/explanation";
            await().untilAsserted(() -> {
                var leader = first.asService(path);
                var standby = second.asService(path);
                assertThat(leader.status()).isEqualTo(200);
                assertThat(standby.body().path("sentence"))
                        .isEqualTo(leader.body().path("sentence"));
                assertThat(standby.body().path("numbers"))
                        .isEqualTo(leader.body().path("numbers"));
            });
            assertThat(second.text("/actuator/prometheus")).contains("muster_leader_epoch 0.0");

            first.close();
            owners.publish(Given.phase(
                    Given.queued(Given.job(1), Given.gang(8, 8)),
                    JobPhase.CANCELLED,
                    1,
                    Given.cluster(2, 4).stream().map(node -> node.node()).toList()));

            await().until(() -> !owners.placements(Given.job(2)).isEmpty());
            new AllocationChecker(second.sql()).noGpuWasEverHeldTwice();
        }
    }

    @Test
    void theTablesRefuseAGpuThatIsHeldAlready() {
        PlacementState gang = placed(1, 2);
        long epoch = first.bean(Leadership.class).epoch().orElseThrow();
        String taken = gang.members().getFirst().node().value();

        assertThatThrownBy(() -> first.bean(PlacementLedger.class)
                        .write(
                                new Commit(List.of(), List.of(), List.of(placing(8, "r2-n4"), placing(9, taken))),
                                epoch))
                .isInstanceOf(DataIntegrityViolationException.class);

        assertThat(first.repairList()).containsExactly(gang);
        assertThat(new AllocationChecker(first.sql()).held()).isEqualTo(16);
        placed(2, 6);
        assertThat(owners.placements(Given.job(8)))
                .as("nothing of the refused commit is published")
                .isEmpty();
    }

    /** A wound and its repair are one commit: a replacement that is held already leaves the gang as it was. */
    @Test
    void aRepairIsWrittenWholeOrNotAtAll() {
        PlacementState gang = placed(1, 2);
        PlacementState other = placed(2, 1);
        long epoch = first.bean(Leadership.class).epoch().orElseThrow();
        var ledger = first.bean(PlacementLedger.class);
        String taken = other.members().getFirst().node().value();

        assertThatThrownBy(() -> ledger.write(repair(gang, taken), epoch))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThat(first.repairList()).containsExactly(gang, other);
        assertThat(new AllocationChecker(first.sql()).held()).isEqualTo(24);

        var committed = (CommitOutcome.Committed) ledger.write(repair(gang, "r2-n4"), epoch);
        assertThat(committed.states()).extracting(PlacementState::generation).containsExactly(1, 1, 2);
        await().until(() -> owners.placements(Given.job(1)).size() == 4);
        var checker = new AllocationChecker(first.sql());
        assertThat(checker.held()).isEqualTo(24);
        checker.noGpuWasEverHeldTwice();
        checker.heldGpusAreThoseOfLiveMembers();
        checker.repairsLeaveNoGapAndNoOverlap();
        assertThatThrownBy(() -> ledger.write(repair(gang, "r2-n3"), epoch))
                .as("told twice")
                .isInstanceOf(RuntimeException.class);
        assertThat(checker.held()).isEqualTo(24);
    }

    /** The tables hold a GPU that the image believes free: the commit fails, the image is built anew, others go on. */
    @Test
    void aCommitThatFailsIsForgottenAndDecidedAgain() {
        placed(1, 1);
        first.sql()
                .sql("INSERT INTO allocation SELECT 'job_ghost0000', 1, 1, tenant, project, queue, reached_level,"
                        + " reached_domain, placed_at, now(), -1 FROM allocation")
                .update();
        first.sql()
                .sql("INSERT INTO held_gpu SELECT node, 0, 'job_ghost0000', 1"
                        + " FROM unnest(ARRAY['r1-n1', 'r1-n2', 'r1-n3', 'r1-n4', 'r2-n1', 'r2-n2', 'r2-n3', 'r2-n4']) AS node"
                        + " WHERE node NOT IN (SELECT node FROM held_gpu)")
                .update();
        owners.publish(Given.queued(Given.job(2), Given.gang(7, 8)));
        await().during(Duration.ofSeconds(1))
                .until(() -> owners.placements(Given.job(2)).isEmpty());

        first.sql().sql("DELETE FROM held_gpu WHERE job_id = 'job_ghost0000'").update();

        await().until(() -> !owners.placements(Given.job(2)).isEmpty());
        assertThat(owners.placements(Given.job(2))).hasSize(1);
        new AllocationChecker(first.sql()).heldGpusAreThoseOfLiveMembers();
    }

    @Test
    void anotherInstanceGoesOnFromTheSameTables() {
        PlacementState gang = placed(1, 6);
        owners.publish(Given.queued(Given.job(2), Given.gang(4, 8)));
        String path = "/internal/services/jobs/" + Given.job(2) + "/explanation";
        await().until(() -> first.asService(path).status() == 200);
        var explained = first.asService(path).body();
        var capacity = models(first);
        first.close();

        try (var again = RunningScheduler.start(database, keys)) {
            await().until(() -> again.asService(path).status() == 200);
            assertThat(again.asService(path).body().path("reason")).isEqualTo(explained.path("reason"));
            assertThat(again.asService(path).body().path("numbers")).isEqualTo(explained.path("numbers"));
            assertThat(models(again)).isEqualTo(capacity);

            var job = Given.queued(Given.job(1), Given.gang(6, 8));
            owners.publish(Given.phase(
                    job,
                    JobPhase.SUCCEEDED,
                    1,
                    gang.members().stream().map(PlacedMember::node).toList()));
            await().until(() -> !owners.placements(Given.job(2)).isEmpty());

            assertThat(owners.placements(Given.job(2)).getFirst().state().epoch())
                    .isGreaterThan(gang.epoch());
            assertThat(owners.placements(Given.job(1))).hasSize(2);
            new AllocationChecker(again.sql()).noGpuWasEverHeldTwice();
        }
    }

    @Test
    void whatWasReleasedWhileNobodyDecidedIsFreedAtTheNextStart() {
        PlacementState gang = placed(1, 2);
        first.close();
        owners.publish(Given.phase(
                Given.queued(Given.job(1), Given.gang(2, 8)),
                JobPhase.STOPPING,
                1,
                List.of(gang.members().getFirst().node())));

        try (var again = RunningScheduler.start(database, keys)) {
            await().until(() -> owners.placements(Given.job(1)).size() == 2);
            assertThat(new AllocationChecker(again.sql()).held()).isEqualTo(8);
        }

        // a start that finds a gang half freed
        try (var again = RunningScheduler.start(database, keys)) {
            owners.publish(Given.queued(Given.job(2), Given.gang(7, 8)));
            await().until(() -> !owners.placements(Given.job(2)).isEmpty());
            new AllocationChecker(again.sql()).noGpuWasEverHeldTwice();
            new AllocationChecker(again.sql()).heldGpusAreThoseOfLiveMembers();
        }
    }

    private PlacementState placed(int number, int nodes) {
        JobId job = Given.job(number);
        owners.publish(Given.queued(job, Given.gang(nodes, 8)));
        await().until(() -> !owners.placements(job).isEmpty());
        return owners.placements(job).getFirst().state();
    }

    /** The lease is made to run out until the second instance has it; the first may renew it in between. */
    private long takeOver(RunningScheduler second) {
        await().until(() -> {
            second.sql().sql("UPDATE leadership SET expires_at = '-infinity'").update();
            return second.bean(Leadership.class).epoch().isPresent();
        });
        return second.bean(Leadership.class).epoch().orElseThrow();
    }

    private static tools.jackson.databind.JsonNode models(RunningScheduler scheduler) {
        return scheduler
                .asUser(Given.ACME, io.muster.edge.identity.Role.VIEWER, "/api/v1/cluster/capacity")
                .body()
                .path("models");
    }

    private static Commit.Freeing releaseAll(PlacementState gang) {
        return new Commit.Freeing(
                gang, Set.copyOf(gang.members().stream().map(PlacedMember::node).toList()), Set.of());
    }

    /** The first member is lost and replaced. */
    private static Commit repair(PlacementState gang, String node) {
        PlacedMember lost = gang.members().getFirst();
        List<Commit.Seat> seats = gang.members().stream()
                .map(member -> new Commit.Seat(
                        member.nodeRank(), member.equals(lost) ? NodeId.of(node) : member.node(), member.gpus()))
                .toList();
        return new Commit(
                List.of(new Commit.Freeing(gang, Set.of(), Set.of(lost.node()))),
                List.of(new Commit.Repair(
                        gang,
                        new Commit.Placing(
                                gang.jobId(),
                                gang.tenant(),
                                gang.project(),
                                gang.queue(),
                                gang.generation() + 1,
                                seats,
                                DomainType.CLUSTER,
                                "local"))),
                List.of());
    }

    private static Commit.Placing placing(int job, String node) {
        return new Commit.Placing(
                Given.job(job),
                Given.ACME,
                Given.LLM,
                Given.RESEARCH,
                1,
                List.of(new Commit.Seat(0, NodeId.of(node), List.of(0, 1))),
                DomainType.NODE,
                node);
    }
}

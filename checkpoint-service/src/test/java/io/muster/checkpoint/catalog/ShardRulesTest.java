package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.JOB;
import static io.muster.checkpoint.catalog.Checkpoints.sha;
import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.member.Seat;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.contract.problem.Violation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardRulesTest {

    private static final String PLACE = "research/" + JOB + "/chk_00000001";
    private static final ReportScope SCOPE = scope(4, new Seat(1, 0, 1));

    private static ReportScope scope(int worldSize, Seat... seats) {
        return new ReportScope(
                new TenantId("research"),
                Checkpoints.of(1, 1, 10, worldSize, CheckpointPhase.RESERVED),
                new NodeId("n1"),
                List.of(seats));
    }

    @Test
    void newRanksAreAddedInOrderAndKnownOnesAreNot() {
        assertThat(ShardRules.judge(
                        List.of(shard(3, "d"), shard(1, "b"), shard(0, "a")), SCOPE, Map.of(0, shard(0, "a"))))
                .isEqualTo(new ShardRules.Report.Fits(List.of(shard(1, "b"), shard(3, "d"))));
    }

    @Test
    void theSameBytesInAnotherFolderOfTheJobAreTheSameShard() {
        var moved = new StoredShard(0, "checkpoints/other/" + PLACE + "/rank-0.shard", 1, sha("a"), List.of());
        assertThat(ShardRules.judge(List.of(moved), SCOPE, Map.of(0, shard(0, "a"))))
                .isEqualTo(new ShardRules.Report.Fits(List.of()));
    }

    @Test
    void otherBytesOfARankAreRefusedFromBeforeAndWithinOneReport() {
        assertThat(ShardRules.judge(List.of(shard(0, "b")), SCOPE, Map.of(0, shard(0, "a"))))
                .isEqualTo(new ShardRules.Report.Conflict(shard(0, "a"), shard(0, "b")));
        assertThat(ShardRules.judge(List.of(shard(0, "a"), shard(0, "b")), SCOPE, Map.of()))
                .isEqualTo(new ShardRules.Report.Conflict(shard(0, "a"), shard(0, "b")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/etc/passwd", "..", "a/../b", "a/./b", "a//b", "a/", "./a", "a\\b", "a/\u0000", "a\nb"})
    void aShardLiesBelowTheStore(String path) {
        assertThat(violations(new StoredShard(0, path, 1, sha("a"), List.of())))
                .extracting(Violation::pointer)
                .containsExactly("/shards/0/path");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "checkpoints/x/TENANT/JOB/CHECKPOINT/rank-1.shard",
                "checkpoints/x/TENANT/JOB/CHECKPOINT/rank-0.shard/rank-00.shard",
                "checkpoints/x/TENANT/JOB/CHECKPOINT/rank-0.shardx",
                "checkpoints/x/TENANT/JOB/CHECKPOINT/more/rank-0.shard",
                "checkpoints/x/TENANT/JOB/CHECKPOINT/.rank-0.shard",
                "checkpoints/x/TENANT/JOB/chk_00000002/rank-0.shard",
                "checkpoints/x/TENANT/job_00000002/CHECKPOINT/rank-0.shard",
                "checkpoints/x/other/JOB/CHECKPOINT/rank-0.shard",
                "checkpoints/x/my-TENANT/JOB/CHECKPOINT/rank-0.shard",
                "x/TENANT/JOB/CHECKPOINT/rank-0.shard",
                "logs/TENANT/JOB/CHECKPOINT/rank-0.shard",
                "checkpointsx/TENANT/JOB/CHECKPOINT/rank-0.shard",
                "TENANT/JOB/CHECKPOINT/rank-0.shard",
                "checkpoints/x/TENANT/JOB/rank-0.shard",
                "checkpoints/../TENANT/JOB/CHECKPOINT/rank-0.shard",
                "checkpoints/./TENANT/JOB/CHECKPOINT/rank-0.shard",
                "checkpoints//TENANT/JOB/CHECKPOINT/rank-0.shard",
                "/checkpoints/x/TENANT/JOB/CHECKPOINT/rank-0.shard"
            })
    void aShardLiesInItsCheckpointsFolderUnderItsOwnName(String path) {
        String meant =
                path.replace("TENANT", "research").replace("JOB", JOB.value()).replace("CHECKPOINT", "chk_00000001");
        assertThat(violations(new StoredShard(0, meant, 1, sha("a"), List.of())))
                .extracting(Violation::pointer)
                .containsExactly("/shards/0/path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/", "checkpoints/research/a/b c/", "checkpoints/", "research/JOB/chk_00000002/"})
    void theFolderIsTheJobsOwnChoice(String folder) {
        var shard = new StoredShard(0, "checkpoints/" + folder + PLACE + "/rank-0.shard", 1, sha("a"), List.of());
        assertThat(ShardRules.judge(List.of(shard), SCOPE, Map.of()))
                .isEqualTo(new ShardRules.Report.Fits(List.of(shard)));
    }

    /** Every rank of gangs of several shapes, reported by every member: taken from the one node that runs it alone. */
    @Test
    void aRankIsReportedByTheNodeThatRunsIt() {
        for (int members = 1; members <= 5; members++) {
            for (int each = 1; each <= 4; each++) {
                int worldSize = members * each;
                for (int nodeRank = 0; nodeRank < members; nodeRank++) {
                    var scope = scope(worldSize, new Seat(3, nodeRank, members));
                    for (int rank = 0; rank < worldSize; rank++) {
                        var own = shard(rank, "a");
                        assertThat(ShardRules.judge(List.of(own), scope, Map.of()))
                                .as("rank %s, %s of %s members, %s ranks", rank, nodeRank, members, worldSize)
                                .isEqualTo(
                                        rank / each == nodeRank
                                                ? new ShardRules.Report.Fits(List.of(own))
                                                : new ShardRules.Report.Elsewhere(rank));
                    }
                }
            }
        }
    }

    @Test
    void oneForeignRankRefusesTheWholeReportEvenIfItIsKnown() {
        var scope = scope(8, new Seat(1, 1, 2));
        assertThat(ShardRules.judge(
                        List.of(shard(4, "a"), shard(3, "b"), shard(5, "c")), scope, Map.of(3, shard(3, "b"))))
                .isEqualTo(new ShardRules.Report.Elsewhere(3));
        assertThat(scope.ranks()).isEqualTo("4 to 7 (node rank 1 of 2 in generation 1)");
    }

    @Test
    void aNodeBetweenTwoPlacementsRunsTheRanksOfBothAndAGangThatDoesNotDivideTheRanksHasNone() {
        var both = scope(4, new Seat(2, 0, 4), new Seat(1, 1, 2));
        assertThat(IntStream.range(0, 4).filter(both::runs)).containsExactly(0, 2, 3);
        var none = scope(4, new Seat(2, 0, 3), new Seat(1, 0, 8));
        assertThat(IntStream.range(0, 4).filter(none::runs)).isEmpty();
        assertThat(none.ranks())
                .isEqualTo("none (node rank 0 of 3 in generation 2, which do not divide 4 ranks) and"
                        + " none (node rank 0 of 8 in generation 1, which do not divide 4 ranks)");
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        assertThat(violations(new StoredShard(4, "x/" + "y".repeat(1_100), -1, "ABC", List.of())))
                .extracting(Violation::pointer)
                .containsExactly("/shards/0/rank", "/shards/0/sizeBytes", "/shards/0/sha256", "/shards/0/path");
        assertThat(violations(new StoredShard(-1, "checkpoints/" + PLACE + "/rank--1.shard", 0, sha("a"), List.of())))
                .extracting(Violation::message)
                .containsExactly("there is no rank -1 among 4");
        assertThat(ShardRules.judge(List.of(), SCOPE, Map.of())).isInstanceOf(ShardRules.Report.Malformed.class);
    }

    @Test
    void aShardMayBeInMemoryOnlyButSomewhere() {
        StoredShard inMemory = Gang.held(0, "a", "n1");
        assertThat(ShardRules.judge(List.of(inMemory), SCOPE, Map.of()))
                .isEqualTo(new ShardRules.Report.Fits(List.of(inMemory)));
        assertThat(violations(Gang.held(0, "a"))).extracting(Violation::pointer).containsExactly("/shards/0");
        assertThat(violations(Gang.held(0, "a", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9")))
                .extracting(Violation::pointer)
                .containsExactly("/shards/0/holders");
    }

    @Test
    void otherBytesInMemoryAreAConflictTooAndALateReportOfFewerCopiesAddsNothing() {
        StoredShard both = Gang.held(0, "a", "n1", "n2");
        assertThat(ShardRules.judge(List.of(Gang.held(0, "b", "n1")), SCOPE, Map.of(0, both)))
                .isEqualTo(new ShardRules.Report.Conflict(both, Gang.held(0, "b", "n1")));
        assertThat(ShardRules.judge(List.of(Gang.held(0, "a", "n2"), Gang.held(0, "a", "n1")), SCOPE, Map.of(0, both)))
                .isEqualTo(new ShardRules.Report.Fits(List.of()));
    }

    /** Reports of a rank in any order, some twice, some in one: in the end every copy that any of them told of is known. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void copiesOnlyBecomeMoreInWhateverOrderTheyAreTold(long seed) {
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<StoredShard> told = new ArrayList<>();
            Set<String> nodes = new TreeSet<>();
            boolean stored = false;
            for (int i = 0; i < 1 + random.nextInt(5); i++) {
                boolean path = random.nextInt(4) == 0;
                String[] holders = IntStream.range(0, path ? 0 : 1 + random.nextInt(3))
                        .mapToObj(n -> "n" + random.nextInt(5))
                        .toArray(String[]::new);
                told.add(path ? shard(0, "a") : Gang.held(0, "a", holders));
                nodes.addAll(List.of(holders));
                stored |= path;
            }
            Collections.shuffle(told, random);
            Map<Integer, StoredShard> known = new TreeMap<>();
            for (int i = 0; i < told.size(); ) {
                int end = Math.min(told.size(), i + 1 + random.nextInt(2));
                var fits = (ShardRules.Report.Fits) ShardRules.judge(told.subList(i, end), SCOPE, known);
                fits.added().forEach(shard -> known.put(shard.rank(), shard));
                i = end - random.nextInt(2) * (end < told.size() && end - i > 1 ? 1 : 0);
            }
            assertThat(known.get(0).path() != null).isEqualTo(stored);
            assertThat(known.get(0).holders().stream()
                            .map(holder -> holder.node().value())
                            .distinct()
                            .sorted()
                            .toList())
                    .isEqualTo(List.copyOf(nodes));
        }
    }

    private static List<Violation> violations(StoredShard shard) {
        var report = ShardRules.judge(List.of(shard), SCOPE, Map.of());
        assertThat(report).isInstanceOf(ShardRules.Report.Malformed.class);
        return ((ShardRules.Report.Malformed) report).violations();
    }
}

package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.sha;
import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.problem.Violation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardRulesTest {

    @Test
    void newRanksAreAddedInOrderAndKnownOnesAreNot() {
        assertThat(ShardRules.judge(List.of(shard(3, "d"), shard(1, "b"), shard(0, "a")), 4, Map.of(0, shard(0, "a"))))
                .isEqualTo(new ShardRules.Report.Fits(List.of(shard(1, "b"), shard(3, "d"))));
    }

    @Test
    void theSameBytesElsewhereAreTheSameShard() {
        var moved = new StoredShard(0, "other/place", 1, sha("a"));
        assertThat(ShardRules.judge(List.of(moved), 4, Map.of(0, shard(0, "a"))))
                .isEqualTo(new ShardRules.Report.Fits(List.of()));
    }

    @Test
    void otherBytesOfARankAreRefusedFromBeforeAndWithinOneReport() {
        assertThat(ShardRules.judge(List.of(shard(0, "b")), 4, Map.of(0, shard(0, "a"))))
                .isEqualTo(new ShardRules.Report.Conflict(shard(0, "a"), shard(0, "b")));
        assertThat(ShardRules.judge(List.of(shard(0, "a"), shard(0, "b")), 4, Map.of()))
                .isEqualTo(new ShardRules.Report.Conflict(shard(0, "a"), shard(0, "b")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/etc/passwd", "..", "a/../b", "a/./b", "a//b", "a/", "./a", "a\\b", "a/\u0000", "a\nb"})
    void aShardLiesBelowTheStore(String path) {
        assertThat(violations(new StoredShard(0, path, 1, sha("a"))))
                .extracting(Violation::pointer)
                .containsExactly("/shards/0/path");
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        assertThat(violations(new StoredShard(4, "x/" + "y".repeat(1_100), -1, "ABC")))
                .extracting(Violation::pointer)
                .containsExactly("/shards/0/rank", "/shards/0/sizeBytes", "/shards/0/sha256", "/shards/0/path");
        assertThat(violations(new StoredShard(-1, "x", 0, sha("a"))))
                .extracting(Violation::message)
                .containsExactly("there is no rank -1 among 4");
        assertThat(ShardRules.judge(List.of(), 4, Map.of())).isInstanceOf(ShardRules.Report.Malformed.class);
    }

    private static List<Violation> violations(StoredShard shard) {
        var report = ShardRules.judge(List.of(shard), 4, Map.of());
        assertThat(report).isInstanceOf(ShardRules.Report.Malformed.class);
        return ((ShardRules.Report.Malformed) report).violations();
    }
}

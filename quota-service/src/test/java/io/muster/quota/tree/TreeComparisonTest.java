package io.muster.quota.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TreeComparisonTest {

    private static final QueueUse IDLE = new QueueUse(Map.of());

    @Test
    void differencesAreWordsByPath() {
        var before = new QuotaTree(1, List.of(node("/", 0, null), node("a", 8, 16L), node("b", 0, null)));
        var after = new QuotaTree(
                2,
                List.of(
                        node("/", 0, null),
                        new QuotaNode(
                                new QueuePath("a"),
                                16,
                                null,
                                3,
                                false,
                                false,
                                true,
                                new TenantId("r"),
                                List.of("r/llm")),
                        node("c", 4, 8L)));
        assertThat(TreeComparison.of(before, after, IDLE).differences())
                .containsExactly(
                        "a: guarantee 8 -> 16",
                        "a: limit 16 -> none",
                        "a: weight 1 -> 3",
                        "a: closing false -> true",
                        "a: tenant any -> r",
                        "a: default of [] -> [r/llm]",
                        "b: removed",
                        "c: added (guarantee 4, limit 8, weight 1)");
    }

    @Test
    void theSameTreeHasNoDifferences() {
        var tree = new QuotaTree(1, List.of(node("/", 0, null), node("a", 8, 16L)));
        assertThat(TreeComparison.of(tree, tree, IDLE).differences()).isEmpty();
    }

    @Test
    void useAboveTheNewLimitIsSaidWithNumbersAtEveryAncestor() {
        var before = new QuotaTree(1, List.of(node("/", 0, null), node("a", 0, null), node("a/b", 0, null)));
        var after = new QuotaTree(2, List.of(node("/", 0, 40L), node("a", 0, 39L), node("a/b", 0, 16L)));
        var use = new QueueUse(Map.of(new QueuePath("a/b"), 24L, new QueuePath("a/gone"), 16L));
        assertThat(TreeComparison.of(before, after, use).impact())
                .extracting(TreeComparison.Impact::message)
                .containsExactly(
                        "a uses 40 GPUs, its limit becomes 39: 1 over. What runs goes on; new jobs wait until use has fallen.",
                        "a/b uses 24 GPUs, its limit becomes 16: 8 over. What runs goes on; new jobs wait until use has fallen.");
    }

    private static QuotaNode node(String path, long guaranteed, Long limit) {
        return new QuotaNode(new QueuePath(path), guaranteed, limit, 1, false, false, false, null, List.of());
    }
}

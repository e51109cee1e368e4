package io.muster.scheduling.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.gang.GpuCount;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QuotaRulesTest {

    private static final QueuePath LEAF = new QueuePath("nlp/pretrain");

    private static QuotaNode node(String path, @Nullable Integer limit, boolean closing) {
        return new QuotaNode(
                new QueuePath(path), GpuCount.of(0), limit == null ? null : GpuCount.of(limit), false, closing);
    }

    private static QuotaVerdict judge(QuotaTree tree, Map<String, Long> used, long requested) {
        return QuotaRules.judge(
                tree, at -> used.getOrDefault(tree.node(at).path().value(), 0L), LEAF, requested);
    }

    private static QuotaTree tree(@Nullable Integer root, @Nullable Integer nlp, @Nullable Integer leaf) {
        return new QuotaTree(
                3, List.of(node("nlp/pretrain", leaf, false), node("/", root, false), node("nlp", nlp, false)));
    }

    @Test
    void withoutLimitsEverythingIsGranted() {
        assertThat(judge(tree(null, null, null), Map.of("nlp", 1_000_000L), 999))
                .isEqualTo(new QuotaVerdict.Granted());
    }

    @Test
    void theLimitOfEveryAncestorHolds() {
        QuotaTree tree = tree(100, 64, 40);
        assertThat(judge(tree, Map.of("/", 60L, "nlp", 24L, "nlp/pretrain", 0L), 40))
                .isEqualTo(new QuotaVerdict.Granted());
        assertThat(judge(tree, Map.of("/", 61L), 40))
                .isEqualTo(new QuotaVerdict.NoRoomNow(QueuePath.ROOT, 40, 61, 100));
        assertThat(judge(tree, Map.of("nlp", 25L), 40))
                .isEqualTo(new QuotaVerdict.NoRoomNow(new QueuePath("nlp"), 40, 25, 64));
        assertThat(judge(tree, Map.of("nlp/pretrain", 1L), 40)).isEqualTo(new QuotaVerdict.NoRoomNow(LEAF, 40, 1, 40));
    }

    @Test
    void theAncestorWithTheLeastRoomIsNamed() {
        assertThat(judge(tree(100, 64, null), Map.of("/", 90L, "nlp", 60L), 20))
                .isEqualTo(new QuotaVerdict.NoRoomNow(new QueuePath("nlp"), 20, 60, 64));
    }

    @Test
    void moreThanALimitNeverFitsWhateverRuns() {
        assertThat(judge(tree(null, 64, null), Map.of("nlp", 3L), 65))
                .isEqualTo(new QuotaVerdict.AboveLimit(new QueuePath("nlp"), 65, 3, 64));
    }

    @Test
    void unknownAndClosingQueuesAreNamed() {
        assertThat(judge(new QuotaTree(1, List.of(node("/", null, false))), Map.of(), 1))
                .isEqualTo(new QuotaVerdict.UnknownQueue(LEAF));
        QuotaTree closing = new QuotaTree(1, List.of(node("nlp", null, true), node("nlp/pretrain", null, false)));
        assertThat(judge(closing, Map.of(), 1)).isEqualTo(new QuotaVerdict.ClosedQueue(LEAF, new QueuePath("nlp")));
        assertThat(judge(QuotaTree.NONE, Map.of(), 1)).isEqualTo(new QuotaVerdict.TreeUnknown());
    }

    @Test
    void useOfADeletedQueueCountsAtItsNearestAncestor() {
        QuotaTree tree = new QuotaTree(1, List.of(node("/", null, false), node("nlp", null, false)));
        assertThat(tree.node(tree.accountOf(LEAF)).path()).isEqualTo(new QueuePath("nlp"));
        assertThat(tree.node(tree.accountOf(new QueuePath("gone"))).path()).isEqualTo(QueuePath.ROOT);
    }
}

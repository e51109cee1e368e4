package io.muster.quota.tree;

import static io.muster.quota.tree.NodeDocuments.edit;
import static io.muster.quota.tree.NodeDocuments.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import io.muster.contract.id.QueuePath;
import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.quota.tree.TreeDocument.NodeDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TreeRulesTest {

    private static final QuotaTree EMPTY = new QuotaTree(0, List.of());
    private static final QueueUse IDLE = new QueueUse(Map.of());

    /** What is wrong, the nodes, the pointer, and words that the message has. */
    static Stream<Arguments> refusals() {
        return Stream.of(
                row("no nodes", "/nodes", "no root"),
                row("no root", "/nodes", "no root", node("a").made()),
                row("two roots", "/nodes/1/path", "there twice: as nodes 0 and 1", root(), root()),
                row(
                        "twice",
                        "/nodes/2/path",
                        "nlp is there twice: as nodes 1 and 2",
                        root(),
                        node("nlp").made(),
                        node("nlp").made()),
                row(
                        "no parent",
                        "/nodes/1/path",
                        "a/b is not in the tree",
                        root(),
                        node("a/b/c").made()),
                row(
                        "no path",
                        "/nodes/1/path",
                        "needs a path",
                        root(),
                        new NodeDocument(null, null, null, null, null, null, null, null, null)),
                row(
                        "bad path",
                        "/nodes/1/path",
                        "not a queue path: 'a b'",
                        root(),
                        node("a b").made()),
                row(
                        "dots",
                        "/nodes/1/path",
                        "not a queue path",
                        root(),
                        node("a.b").made()),
                row(
                        "too deep",
                        "/nodes/1/path",
                        "17 names; a tree is at most 16 deep",
                        root(),
                        node("a" + "/a".repeat(16)).made()),
                row("null node", "/nodes/1", "a node is null", root(), null),
                row(
                        "negative guarantee",
                        "/nodes/1/guaranteedGpus",
                        "-1; 0 to",
                        root(),
                        node("a").guaranteed(-1).made()),
                row(
                        "absurd guarantee",
                        "/nodes/1/guaranteedGpus",
                        "is " + Long.MAX_VALUE,
                        root(),
                        node("a").guaranteed(Long.MAX_VALUE).made()),
                row(
                        "negative limit",
                        "/nodes/1/limitGpus",
                        "-8; 0 to",
                        root(),
                        node("a").limit(-8).made()),
                row(
                        "limit below guarantee",
                        "/nodes/1/limitGpus",
                        "guaranteed 16 GPUs but limited to 8",
                        root(),
                        node("a").guaranteed(16).limit(8).made()),
                row(
                        "isolated borrows",
                        "/nodes/1/limitGpus",
                        "guarantee of 16 GPUs, not 32",
                        root(),
                        node("a").guaranteed(16).limit(32).isolated(true).made()),
                row(
                        "isolated root",
                        "/nodes/0/isolated",
                        "nobody to be isolated from",
                        node("/").isolated(true).made()),
                row(
                        "weight 0",
                        "/nodes/1/weight",
                        "weight is 0",
                        root(),
                        node("a").weight(0).made()),
                row(
                        "weight 1001",
                        "/nodes/1/weight",
                        "weight is 1001",
                        root(),
                        node("a").weight(1001).made()),
                row(
                        "children above root",
                        "/nodes/0/guaranteedGpus",
                        "guaranteed 70 GPUs together (a 40, b 30), / itself only 64: 6 too many",
                        node("/").guaranteed(64).made(),
                        node("a").guaranteed(40).made(),
                        node("b").guaranteed(30).made()),
                row(
                        "children of an unguaranteed node",
                        "/nodes/1/guaranteedGpus",
                        "guaranteed 1 GPUs together (a/b 1), a itself only 0",
                        root(),
                        node("a").made(),
                        node("a/b").guaranteed(1).made()),
                row(
                        "two pools",
                        "/nodes/2/pool",
                        "b and a are both the public pool",
                        root(),
                        node("a").pool(true).made(),
                        node("b").pool(true).made()),
                row(
                        "guaranteed pool",
                        "/nodes/1/guaranteedGpus",
                        "it is guaranteed 8",
                        root(),
                        node("a").pool(true).guaranteed(8).made()),
                row(
                        "isolated pool",
                        "/nodes/1/isolated",
                        "isolated nodes never do",
                        root(),
                        node("a").pool(true).isolated(true).made()),
                row(
                        "pool with children",
                        "/nodes/1/pool",
                        "has 1 children",
                        root(),
                        node("a").pool(true).made(),
                        node("a/b").made()),
                row(
                        "pool is the root",
                        "/nodes/0/pool",
                        "the root is not a pool",
                        node("/").pool(true).made()),
                row(
                        "pool of a tenant",
                        "/nodes/1/tenant",
                        "only research may use it",
                        root(),
                        node("a").pool(true).tenant("research").made()),
                row(
                        "pool below a tenant",
                        "/nodes/2/pool",
                        "only research may use it",
                        root(),
                        node("a").tenant("research").made(),
                        node("a/b").pool(true).made()),
                row(
                        "bad tenant",
                        "/nodes/1/tenant",
                        "not a TenantId: 'No'",
                        root(),
                        node("a").tenant("No").made()),
                row(
                        "two tenants on one path",
                        "/nodes/3/tenant",
                        "for tenant b, but a node above it is for a only",
                        root(),
                        node("x").tenant("a").made(),
                        node("x/y").made(),
                        node("x/y/z").tenant("b").made()),
                row(
                        "default without project",
                        "/nodes/1/defaultOf/0",
                        "'research' has no '/'",
                        root(),
                        node("a").defaultOf("research").made()),
                row(
                        "default with bad project",
                        "/nodes/1/defaultOf/1",
                        "not a ProjectId: 'L'",
                        root(),
                        node("a").defaultOf("r/a", "r/L").made()),
                row(
                        "null default",
                        "/nodes/1/defaultOf/0",
                        "an entry is null",
                        root(),
                        new NodeDocument(
                                "a", null, null, null, null, null, null, null, Collections.singletonList(null))),
                row(
                        "default twice",
                        "/nodes/2/defaultOf/0",
                        "r/llm already has the default queue a",
                        root(),
                        node("a").defaultOf("r/llm").made(),
                        node("b").defaultOf("r/llm").made()),
                row(
                        "default twice in one node",
                        "/nodes/1/defaultOf/1",
                        "already has the default queue a",
                        root(),
                        node("a").defaultOf("r/llm", "r/llm").made()),
                row(
                        "default is no leaf",
                        "/nodes/1/defaultOf",
                        "has 1 children",
                        root(),
                        node("a").defaultOf("r/llm").made(),
                        node("a/b").made()),
                row(
                        "default of another tenant",
                        "/nodes/2/defaultOf/0",
                        "for tenant r only; s/llm could not use it",
                        root(),
                        node("a").tenant("r").made(),
                        node("a/b").defaultOf("s/llm").made()));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void oneFaultIsNamedWithItsPointerAndNothingElse(List<NodeDocument> nodes, String pointer, String words) {
        List<Violation> found = violations(judge(nodes));
        assertThat(found).singleElement().satisfies(violation -> {
            assertThat(violation.pointer()).isEqualTo(pointer);
            assertThat(violation.message()).contains(words);
            assertThat(violation.allowed()).isNotBlank();
        });
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        List<Violation> found = violations(judge(List.of(
                node("/").guaranteed(8).made(),
                node("a").guaranteed(16).weight(0).made(),
                node("a").made(),
                node("b/c").made(),
                node("d").limit(-1).made())));
        assertThat(found)
                .extracting(Violation::pointer)
                .containsExactlyInAnyOrder(
                        "/nodes/1/weight",
                        "/nodes/2/path",
                        "/nodes/4/limitGpus",
                        "/nodes/3/path",
                        "/nodes/0/guaranteedGpus");
    }

    @Test
    void moreThanTenThousandNodesAreRefusedWithoutReadingThem() {
        List<NodeDocument> many =
                IntStream.range(0, 10_001).mapToObj(i -> node("!" + i).made()).toList();
        assertThat(violations(judge(many)))
                .singleElement()
                .satisfies(v -> assertThat(v.message()).contains("10001 nodes"));
    }

    @Test
    void aDocumentEditedFromAnotherVersionIsRefused() {
        var verdict = TreeRules.judge(new TreeDocument(3L, List.of(root())), EMPTY, IDLE);
        assertThat(violations(verdict)).extracting(Violation::pointer).containsExactly("/version");
    }

    @Test
    void aRootWithoutGuaranteeLeavesItsChildrenFree() {
        assertThat(accepted(judge(
                                List.of(root(), node("a").guaranteed(1_000_000).made())))
                        .tree()
                        .nodes())
                .hasSize(2);
    }

    @Test
    void anIsolatedNodeGetsItsGuaranteeAsLimit() {
        QuotaTree tree = accepted(judge(
                        List.of(root(), node("a").guaranteed(16).isolated(true).made())))
                .tree();
        assertThat(tree.find(new QueuePath("a"))).map(QuotaNode::limitGpus).contains(16L);
    }

    @Test
    void aTreeThatWasReadCanBeSentBack() {
        QuotaTree tree = accepted(judge(RandomTrees.valid(7))).tree();
        List<NodeDocument> same =
                tree.nodes().stream().map(TreeRulesTest::document).toList();
        var again = accepted(TreeRules.judge(new TreeDocument(tree.version(), same), tree, IDLE));
        assertThat(again.tree().nodes()).isEqualTo(tree.nodes());
        assertThat(again.tree().version()).isEqualTo(tree.version() + 1);
    }

    @Test
    void aLimitAboveAnAncestorsIsLegalAndWarnedOf() {
        var verdict = accepted(judge(List.of(
                root(),
                node("a").limit(8).made(),
                node("a/b").made(),
                node("a/b/c").limit(16).made())));
        assertThat(verdict.warnings()).singleElement().satisfies(warning -> {
            assertThat(warning.pointer()).isEqualTo("/nodes/3/limitGpus");
            assertThat(warning.message()).contains("16 GPUs", "a above it only 8");
        });
    }

    @Test
    void aNodeIsRemovedOnlyAfterItWasClosing() {
        QuotaTree open = accepted(
                        judge(List.of(root(), node("a").made(), node("a/b").made())))
                .tree();
        assertThat(violations(TreeRules.judge(new TreeDocument(null, List.of(root())), open, IDLE)))
                .extracting(Violation::message)
                .hasSize(2)
                .allSatisfy(message -> assertThat(message).contains("not closing there"));
        QuotaTree closing = accepted(judge(List.of(
                        root(), node("a").closing(true).made(), node("a/b").made())))
                .tree();
        assertThat(accepted(TreeRules.judge(new TreeDocument(null, List.of(root())), closing, IDLE))
                        .tree()
                        .nodes())
                .hasSize(1);
    }

    @Test
    void aNodeInUseIsNotRemovedEvenIfClosing() {
        QuotaTree closing = accepted(judge(List.of(
                        root(), node("a").closing(true).made(), node("a/b").made())))
                .tree();
        var use = new QueueUse(Map.of(new QueuePath("a/b"), 24L));
        assertThat(violations(TreeRules.judge(new TreeDocument(null, List.of(root())), closing, use)))
                .extracting(Violation::message)
                .containsExactly(
                        "a cannot be removed: 24 GPUs are still held there",
                        "a/b cannot be removed: 24 GPUs are still held there");
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomValidTreesAreAcceptedInAnyOrder(long seed) {
        List<NodeDocument> nodes = RandomTrees.valid(seed);
        QuotaTree tree = accepted(judge(nodes)).tree();
        List<NodeDocument> shuffled = new ArrayList<>(nodes);
        Collections.shuffle(shuffled, new Random(seed));
        assertThat(accepted(judge(shuffled)).tree()).isEqualTo(tree);
        assertThat(tree.nodes().getFirst().path()).isEqualTo(QueuePath.ROOT);
        for (QuotaNode node : tree.nodes()) {
            long below = tree.nodes().stream()
                    .filter(child ->
                            child.path().parent().filter(node.path()::equals).isPresent())
                    .mapToLong(QuotaNode::guaranteedGpus)
                    .sum();
            assertThat(below <= node.guaranteedGpus() || node.path().isRoot() && node.guaranteedGpus() == 0)
                    .isTrue();
            assertThat(node.limitGpus() == null || node.limitGpus() >= node.guaranteedGpus())
                    .isTrue();
        }
    }

    /** Breaks one rule at one node; the field that the refusal points to. */
    private record Mutation(String field, UnaryOperator<NodeDocument> breaking) {}

    private static final List<Mutation> MUTATIONS = List.of(
            new Mutation(
                    "guaranteedGpus", n -> edit(n).unlimited().guaranteed(-5).made()),
            new Mutation("limitGpus", n -> edit(n).limit(-5).made()),
            new Mutation(
                    "limitGpus",
                    n -> edit(n).guaranteed(10).limit(9).isolated(false).made()),
            new Mutation(
                    "limitGpus",
                    n -> edit(n).guaranteed(10).limit(11).isolated(true).made()),
            new Mutation("weight", n -> edit(n).weight(5_000).made()),
            new Mutation("path", n -> edit(n).at("no/such/parent")),
            new Mutation("path", n -> edit(n).at("/")),
            new Mutation("path", n -> edit(n).at("..")),
            new Mutation("tenant", n -> edit(n).tenant("UPPER").made()),
            new Mutation("pool", n -> edit(n).pool(true).made()),
            new Mutation("defaultOf/0", n -> edit(n).defaultOf("nothing").made()));

    @ParameterizedTest
    @MethodSource("seeds")
    void eachSingleFaultInARandomTreeIsFound(long seed) {
        var random = new Random(seed);
        for (Mutation mutation : MUTATIONS) {
            List<NodeDocument> nodes = new ArrayList<>(RandomTrees.valid(seed));
            int at = 1 + random.nextInt(nodes.size() - 2);
            nodes.set(at, mutation.breaking().apply(nodes.get(at)));
            assertThat(violations(judge(nodes)))
                    .as("seed %d, %s of node %d", seed, mutation.field(), at)
                    .extracting(Violation::pointer)
                    .anyMatch(pointer -> pointer.equals("/nodes/" + at + "/" + mutation.field())
                            // a second pool is found at whichever of the two comes later
                            || mutation.field().equals("pool") && pointer.endsWith("/pool"));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneGpuMoreThanTheParentHasIsFound(long seed) {
        List<NodeDocument> nodes = new ArrayList<>(RandomTrees.valid(seed));
        for (int parent = 1; parent < nodes.size(); parent++) {
            String path = nodes.get(parent).path();
            List<NodeDocument> below = nodes.stream()
                    .filter(n -> n.path().startsWith(path + "/") && n.path().lastIndexOf('/') == path.length())
                    .toList();
            if (below.isEmpty()) {
                continue;
            }
            long sum = below.stream().mapToLong(NodeDocument::guaranteedGpus).sum();
            if (sum == 0) {
                continue;
            }
            List<NodeDocument> tight = new ArrayList<>(nodes);
            tight.set(
                    parent, edit(nodes.get(parent)).unlimited().guaranteed(sum).made());
            assertThat(violationsOrNone(judge(tight)))
                    .noneMatch(v -> v.message().contains("children of " + path + " are"));
            tight.set(
                    parent,
                    edit(nodes.get(parent)).unlimited().guaranteed(sum - 1).made());
            assertThat(violations(judge(tight)))
                    .anyMatch(v -> v.message().contains("children of " + path + " are")
                            && v.message().contains(": 1 too many"));
        }
    }

    private static NodeDocument root() {
        return node("/").made();
    }

    private static NodeDocument document(QuotaNode node) {
        return new NodeDocument(
                node.path().value(),
                node.guaranteedGpus(),
                node.limitGpus(),
                node.weight(),
                node.isolated(),
                node.pool(),
                node.closing(),
                node.tenant() == null ? null : node.tenant().value(),
                new ArrayList<>(node.defaultOf()));
    }

    private static TreeVerdict judge(List<NodeDocument> nodes) {
        return TreeRules.judge(new TreeDocument(null, new ArrayList<>(nodes)), EMPTY, IDLE);
    }

    private static TreeVerdict.Accepted accepted(TreeVerdict verdict) {
        assertThat(verdict).isInstanceOf(TreeVerdict.Accepted.class);
        return (TreeVerdict.Accepted) verdict;
    }

    private static List<Violation> violations(TreeVerdict verdict) {
        assertThat(verdict).isInstanceOf(TreeVerdict.Refused.class);
        return ((TreeVerdict.Refused) verdict).violations();
    }

    private static List<Violation> violationsOrNone(TreeVerdict verdict) {
        return switch (verdict) {
            case TreeVerdict.Accepted accepted -> List.of();
            case TreeVerdict.Refused refused -> refused.violations();
        };
    }

    private static Arguments row(String name, String pointer, String words, NodeDocument... nodes) {
        return Arguments.of(named(name, Arrays.asList(nodes)), pointer, words);
    }
}

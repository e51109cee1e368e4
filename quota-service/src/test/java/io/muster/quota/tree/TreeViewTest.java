package io.muster.quota.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TreeViewTest {

    private static final List<String> TENANTS = List.of("acme", "acme-two", "other");

    static java.util.stream.LongStream seeds() {
        return java.util.stream.LongStream.range(0, 200);
    }

    /** The owner of each node is known from how the tree was grown, not read off its paths. */
    @ParameterizedTest
    @MethodSource("seeds")
    void eachTenantSeesExactlyItsOwnNodesAndThoseOfAll(long seed) {
        var grown = new Grown(new Random(seed));
        for (String tenant : TENANTS) {
            for (Role role : List.of(Role.VIEWER, Role.ENGINEER)) {
                var seen = TreeView.of(grown.tree(), caller(tenant, role));
                assertThat(seen.nodes())
                        .extracting(QuotaNode::path)
                        .isEqualTo(grown.tree().nodes().stream()
                                .map(QuotaNode::path)
                                .filter(path -> List.of("", tenant).contains(grown.owners.get(path)))
                                .toList());
                assertThat(seen.nodes())
                        .flatExtracting(QuotaNode::defaultOf)
                        .allMatch(project -> ((String) project).startsWith(tenant + "/"));
                assertThat(seen.version()).isEqualTo(7);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SRE", "ADMIN"})
    void whoSeesAllTenantsSeesTheWholeTree(Role role) {
        QuotaTree tree = new Grown(new Random(1)).tree();
        assertThat(TreeView.of(tree, caller("acme", role))).isEqualTo(tree);
    }

    @Test
    void whatIsHiddenStillCountsAboveItAndIsNamedNowhere() {
        var tree = new QuotaTree(
                1,
                List.of(node("/", null), node("open", null), node("open/theirs", "other"), node("open/ours", "acme")));
        var use = new QueueUse(Map.of(new QueuePath("open/theirs"), 8L, new QueuePath("open/ours"), 2L));
        var seen = TreeView.of(tree, caller("acme", Role.VIEWER));
        NodeUse open = NodeUse.of(seen, new QueuePath("open"), use).orElseThrow();
        assertThat(open.figures().usedGpus()).isEqualTo(10);
        assertThat(open.children()).containsExactly(new NodeUse.Figures(new QueuePath("open/ours"), 0, null, 2));
        assertThat(NodeUse.of(seen, new QueuePath("open/theirs"), use)).isEmpty();
    }

    private static UserCaller caller(String tenant, Role role) {
        return new UserCaller(new TenantId(tenant), List.of(), role, "key_1");
    }

    private static QuotaNode node(String path, String tenant) {
        return new QuotaNode(
                new QueuePath(path),
                0,
                null,
                1,
                false,
                false,
                false,
                tenant == null ? null : new TenantId(tenant),
                TENANTS.stream().map(any -> any + "/" + path.length()).toList());
    }

    /** A tree with tags anywhere, also below other tags. */
    private static final class Grown {

        private final Random random;
        private final List<QuotaNode> nodes = new ArrayList<>();
        private final Map<QueuePath, String> owners = new java.util.TreeMap<>();

        Grown(Random random) {
            this.random = random;
            add("/", "");
            for (int i = 0; i < 3; i++) {
                grow("top-" + i, "", 0);
            }
        }

        QuotaTree tree() {
            return new QuotaTree(7, nodes);
        }

        private void grow(String path, String above, int depth) {
            String owner = add(path, above);
            for (int i = depth < 4 ? random.nextInt(4) : 0; i > 0; i--) {
                grow(path + "/q" + i, owner, depth + 1);
            }
        }

        private String add(String path, String above) {
            String tag =
                    random.nextInt(4) == 0 && !path.equals("/") ? TENANTS.get(random.nextInt(TENANTS.size())) : null;
            nodes.add(node(path, tag));
            owners.put(new QueuePath(path), tag == null ? above : tag);
            return tag == null ? above : tag;
        }
    }
}

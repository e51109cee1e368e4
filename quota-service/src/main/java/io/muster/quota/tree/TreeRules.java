package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a document may become the next quota tree. It is judged whole: every violation is named at once, with
 * a pointer and the numbers, and one violation refuses the tree.
 *
 * <p>The rules between nodes:
 *
 * <ul>
 *   <li>one root {@code /}; every parent is there; no path twice; at most 10,000 nodes;
 *   <li>the children's guarantees are together at most the parent's. A root whose guarantee is 0 has not said how many
 *       GPUs there are, so its children's sum is free; on any other node 0 means 0;
 *   <li>an isolated node is never the root; it may use its guarantee and no more;
 *   <li>at most one pool: below the root, a leaf, guarantee 0, not isolated, open to every tenant all the way up;
 *   <li>below a node of one tenant, no other tenant is named;
 *   <li>a project has one default queue, which is a leaf that its tenant may use;
 *   <li>what is removed was closing in the version before, or below a node that was, and nothing runs there.
 * </ul>
 *
 * A child whose limit is above an ancestor's is legal (the ancestor's holds) and warned of.
 */
final class TreeRules {

    static final int MAX_NODES = 10_000;

    private static final Comparator<QuotaNode> ROOT_FIRST =
            Comparator.comparing((QuotaNode node) -> !node.path().isRoot()).thenComparing(QuotaNode::path);

    private final QuotaTree previous;
    private final QueueUse use;
    private final List<Violation> violations = new ArrayList<>();
    private final List<Notice> warnings = new ArrayList<>();
    private final Map<QueuePath, Integer> indexes = new LinkedHashMap<>();
    private final Map<QueuePath, QuotaNode> nodes = new LinkedHashMap<>();
    private final Map<QueuePath, List<QuotaNode>> children = new LinkedHashMap<>();

    private TreeRules(QuotaTree previous, QueueUse use) {
        this.previous = previous;
        this.use = use;
    }

    /** Judges {@code document} as the successor of {@code previous}, while {@code use} GPUs are held. */
    static TreeVerdict judge(TreeDocument document, QuotaTree previous, QueueUse use) {
        var rules = new TreeRules(previous, use);
        rules.version(document.version());
        List<TreeDocument.@Nullable NodeDocument> sent = document.nodes() == null ? List.of() : document.nodes();
        if (sent.size() > MAX_NODES) {
            rules.refuse("/nodes", "the tree has " + sent.size() + " nodes", null, "at most " + MAX_NODES);
            return new TreeVerdict.Refused(rules.violations);
        }
        rules.read(sent);
        rules.betweenNodes();
        rules.removed();
        if (!rules.violations.isEmpty()) {
            return new TreeVerdict.Refused(rules.violations);
        }
        List<QuotaNode> ordered =
                rules.nodes.values().stream().sorted(ROOT_FIRST).toList();
        return new TreeVerdict.Accepted(new QuotaTree(previous.version() + 1, ordered), rules.warnings);
    }

    private void version(@Nullable Long version) {
        if (version != null && version != previous.version()) {
            refuse(
                    "/version",
                    "the document was edited from version " + version + ", the tree is at " + previous.version(),
                    version.toString(),
                    previous.version() + ", or leave it out");
        }
    }

    private void read(List<TreeDocument.@Nullable NodeDocument> sent) {
        for (int i = 0; i < sent.size(); i++) {
            int index = i;
            NodeReading.read(i, sent.get(i), violations).ifPresent(node -> keep(index, node));
        }
        if (!nodes.containsKey(QueuePath.ROOT)) {
            refuse("/nodes", "the tree has no root", null, "one node with the path '/'");
        }
    }

    private void keep(int index, QuotaNode node) {
        Integer first = indexes.putIfAbsent(node.path(), index);
        if (first != null) {
            refuse(
                    at(index, "path"),
                    "the path " + node.path() + " is there twice: as nodes " + first + " and " + index,
                    node.path().value(),
                    "each path once");
            return;
        }
        nodes.put(node.path(), node);
        node.path()
                .parent()
                .ifPresent(parent ->
                        children.computeIfAbsent(parent, p -> new ArrayList<>()).add(node));
    }

    private void betweenNodes() {
        Map<String, QueuePath> defaults = new LinkedHashMap<>();
        QuotaNode pool = null;
        for (QuotaNode node : nodes.values()) {
            int index = index(node);
            parentIsThere(index, node);
            childrensGuarantees(index, node);
            limitsAlongThePath(index, node);
            tenantAlongThePath(index, node);
            defaultQueue(index, node, defaults);
            isolation(index, node);
            if (node.pool()) {
                pool(index, node, pool);
                pool = pool == null ? node : pool;
            }
        }
    }

    private void parentIsThere(int index, QuotaNode node) {
        node.path().parent().filter(parent -> !nodes.containsKey(parent)).ifPresent(parent -> {
            // a missing root is said once, for the whole tree
            if (!parent.isRoot()) {
                refuse(
                        at(index, "path"),
                        node.path() + " has no parent: " + parent + " is not in the tree",
                        node.path().value(),
                        "add " + parent);
            }
        });
    }

    private void childrensGuarantees(int index, QuotaNode parent) {
        List<QuotaNode> below = childrenOf(parent.path());
        long sum = below.stream().mapToLong(QuotaNode::guaranteedGpus).sum();
        boolean unset = parent.path().isRoot() && parent.guaranteedGpus() == 0;
        if (sum <= parent.guaranteedGpus() || unset) {
            return;
        }
        Map<QueuePath, Long> shares = new TreeMap<>();
        below.stream()
                .filter(child -> child.guaranteedGpus() > 0)
                .forEach(child -> shares.put(child.path(), child.guaranteedGpus()));
        String named = shares.entrySet().stream()
                .limit(5)
                .map(share -> share.getKey() + " " + share.getValue())
                .reduce((a, b) -> a + ", " + b)
                .orElseThrow();
        refuse(
                at(index, "guaranteedGpus"),
                "the children of " + parent.path() + " are guaranteed " + sum + " GPUs together (" + named
                        + (shares.size() > 5 ? ", …" : "") + "), " + parent.path() + " itself only "
                        + parent.guaranteedGpus() + ": " + (sum - parent.guaranteedGpus()) + " too many",
                Long.toString(parent.guaranteedGpus()),
                "at least " + sum + ", or less for the children");
    }

    private void limitsAlongThePath(int index, QuotaNode node) {
        Long limit = node.limitGpus();
        if (limit == null) {
            return;
        }
        for (QuotaNode above = parentOf(node); above != null; above = parentOf(above)) {
            Long aboveLimit = above.limitGpus();
            if (aboveLimit != null && aboveLimit < limit) {
                warn(
                        at(index, "limitGpus"),
                        node.path() + " may have " + limit + " GPUs, but " + above.path() + " above it only "
                                + aboveLimit + "; the smaller one holds");
                return;
            }
        }
    }

    private void tenantAlongThePath(int index, QuotaNode node) {
        TenantId own = node.tenant();
        TenantId above = own == null ? null : tenantAbove(node);
        if (own != null && above != null && !above.equals(own)) {
            refuse(
                    at(index, "tenant"),
                    node.path() + " is for tenant " + own + ", but a node above it is for " + above + " only",
                    own.value(),
                    above + ", or leave tenant out");
        }
    }

    private void defaultQueue(int index, QuotaNode node, Map<String, QueuePath> defaults) {
        if (!node.defaultOf().isEmpty() && !childrenOf(node.path()).isEmpty()) {
            refuse(
                    at(index, "defaultOf"),
                    node.path() + " has " + childrenOf(node.path()).size()
                            + " children; jobs queue at leaves only, so it is nobody's default",
                    node.defaultOf().toString(),
                    "name a leaf below it");
        }
        if (!node.defaultOf().isEmpty() && node.closing()) {
            warn(
                    at(index, "closing"),
                    node.path() + " takes no new jobs but is the default of " + node.defaultOf()
                            + "; their jobs must name a queue");
        }
        TenantId tenant = node.tenant() == null ? tenantAbove(node) : node.tenant();
        for (int i = 0; i < node.defaultOf().size(); i++) {
            String entry = node.defaultOf().get(i);
            QueuePath other = defaults.putIfAbsent(entry, node.path());
            if (other != null) {
                refuse(
                        at(index, "defaultOf/" + i),
                        entry + " already has the default queue " + other,
                        entry,
                        "one default queue for a project");
            }
            if (tenant != null && !entry.startsWith(tenant + "/")) {
                refuse(
                        at(index, "defaultOf/" + i),
                        node.path() + " is for tenant " + tenant + " only; " + entry + " could not use it",
                        entry,
                        "projects of " + tenant);
            }
        }
    }

    private void isolation(int index, QuotaNode node) {
        if (!node.isolated()) {
            return;
        }
        if (node.path().isRoot()) {
            refuse(at(index, "isolated"), "the root has nobody to be isolated from", "true", "false");
        } else if (node.guaranteedGpus() == 0) {
            warn(
                    at(index, "guaranteedGpus"),
                    node.path() + " is isolated with a guarantee of 0 GPUs: no job can ever start there");
        }
    }

    private void pool(int index, QuotaNode node, @Nullable QuotaNode other) {
        if (other != null) {
            refuse(
                    at(index, "pool"),
                    node.path() + " and " + other.path() + " are both the public pool",
                    "true",
                    "one pool in a tree");
        }
        if (node.path().isRoot()) {
            refuse(at(index, "pool"), "the root is not a pool", "true", "a leaf below it");
        }
        if (node.guaranteedGpus() != 0) {
            refuse(
                    at(index, "guaranteedGpus"),
                    "the pool " + node.path() + " lives of what others leave idle; it is guaranteed "
                            + node.guaranteedGpus(),
                    Long.toString(node.guaranteedGpus()),
                    "0");
        }
        if (node.isolated()) {
            refuse(
                    at(index, "isolated"),
                    "the pool " + node.path() + " borrows; isolated nodes never do",
                    "true",
                    "false");
        }
        int below = childrenOf(node.path()).size();
        if (below > 0) {
            refuse(at(index, "pool"), "the pool " + node.path() + " has " + below + " children", "true", "a leaf");
        }
        TenantId tenant = node.tenant() == null ? tenantAbove(node) : node.tenant();
        if (tenant != null) {
            refuse(
                    at(index, node.tenant() == null ? "pool" : "tenant"),
                    "the pool " + node.path() + " is open to every tenant, but here only " + tenant + " may use it",
                    tenant.value(),
                    "no tenant on the pool and above it");
        }
    }

    private void removed() {
        for (QuotaNode gone : previous.nodes()) {
            if (nodes.containsKey(gone.path()) || gone.path().isRoot()) {
                continue;
            }
            if (!closingAtOrAbove(gone)) {
                refuse(
                        "/nodes",
                        gone.path() + " is in version " + previous.version()
                                + " and not closing there; a queue is closed before it is removed",
                        null,
                        "send " + gone.path() + " with closing true first, and remove it when nothing runs there");
            }
            long held = use.at(gone.path());
            if (held > 0) {
                refuse(
                        "/nodes",
                        gone.path() + " cannot be removed: " + held + " GPUs are still held there",
                        null,
                        "wait for its jobs to end, or cancel them");
            }
        }
    }

    private boolean closingAtOrAbove(QuotaNode node) {
        for (QueuePath at = node.path(); at != null; at = at.parent().orElse(null)) {
            if (previous.find(at).map(QuotaNode::closing).orElse(false)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable TenantId tenantAbove(QuotaNode node) {
        for (QuotaNode above = parentOf(node); above != null; above = parentOf(above)) {
            if (above.tenant() != null) {
                return above.tenant();
            }
        }
        return null;
    }

    private @Nullable QuotaNode parentOf(QuotaNode node) {
        return node.path().parent().map(nodes::get).orElse(null);
    }

    private List<QuotaNode> childrenOf(QueuePath path) {
        return children.getOrDefault(path, List.of());
    }

    private int index(QuotaNode node) {
        return indexes.getOrDefault(node.path(), -1);
    }

    private static String at(int index, String field) {
        return "/nodes/" + index + "/" + field;
    }

    private void warn(String pointer, String message) {
        warnings.add(new Notice(pointer, message));
    }

    private void refuse(String pointer, String message, @Nullable String rejected, String allowed) {
        violations.add(new Violation(pointer, message, rejected, allowed));
    }
}

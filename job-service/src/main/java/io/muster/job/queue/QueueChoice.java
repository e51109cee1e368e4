package io.muster.job.queue;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.job.spec.NearestName;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which leaf of the quota tree a job goes to. A named queue must be a leaf that is open and that the tenant may use;
 * without a name it is the leaf that the tree gives to the project, else the leaf {@code default}. Leaves of other
 * tenants are answered like ones that do not exist.
 */
public final class QueueChoice {

    public sealed interface Choice {}

    public record Chosen(QueuePath queue) implements Choice {}

    public record Refused(Violation violation) implements Choice {}

    private static final QueuePath DEFAULT = new QueuePath("default");
    private static final int NAMED = 10;

    private QueueChoice() {}

    public static Choice choose(QuotaTree tree, TenantId tenant, ProjectId project, @Nullable QueuePath wanted) {
        return wanted == null ? fallback(tree, tenant, project) : named(tree, tenant, wanted);
    }

    private static Choice named(QuotaTree tree, TenantId tenant, QueuePath wanted) {
        Optional<QuotaNode> node = tree.find(wanted);
        if (node.isEmpty() || !mayUse(tree, tenant, wanted)) {
            List<String> usable = usable(tree, tenant);
            String nearest = NearestName.of(wanted.value(), usable)
                    .map(name -> "; did you mean '" + name + "'?")
                    .orElse("");
            return refused("there is no queue '" + wanted + "' for tenant " + tenant + nearest, wanted, usable);
        }
        if (!tree.isLeaf(wanted)) {
            List<String> below = usable(tree, tenant).stream()
                    .filter(path -> wanted.isRoot() || path.startsWith(wanted + "/"))
                    .toList();
            return refused("queue '" + wanted + "' has queues below it; jobs go to one of those", wanted, below);
        }
        if (closing(tree, wanted)) {
            return refused("queue '" + wanted + "' is closing and takes no new jobs", wanted, usable(tree, tenant));
        }
        return new Chosen(wanted);
    }

    private static Choice fallback(QuotaTree tree, TenantId tenant, ProjectId project) {
        String owner = tenant + "/" + project;
        return tree.nodes().stream()
                .filter(node -> node.defaultOf().contains(owner) && takesJobs(tree, tenant, node.path()))
                .map(QuotaNode::path)
                .sorted()
                .findFirst()
                .or(() -> tree.find(DEFAULT).map(QuotaNode::path).filter(path -> takesJobs(tree, tenant, path)))
                .<Choice>map(Chosen::new)
                .orElseGet(() -> refused(
                        "queue is missing, and the quota tree has no default queue for project " + project,
                        null,
                        usable(tree, tenant)));
    }

    /** Every tag on the way from the root must be the tenant's own. */
    private static boolean mayUse(QuotaTree tree, TenantId tenant, QueuePath path) {
        return tree.find(path).map(QuotaNode::tenant).map(tenant::equals).orElse(true)
                && path.parent().map(parent -> mayUse(tree, tenant, parent)).orElse(true);
    }

    private static boolean closing(QuotaTree tree, QueuePath path) {
        return tree.find(path).map(QuotaNode::closing).orElse(false)
                || path.parent().map(parent -> closing(tree, parent)).orElse(false);
    }

    private static boolean takesJobs(QuotaTree tree, TenantId tenant, QueuePath path) {
        return tree.isLeaf(path) && mayUse(tree, tenant, path) && !closing(tree, path);
    }

    private static List<String> usable(QuotaTree tree, TenantId tenant) {
        return tree.nodes().stream()
                .map(QuotaNode::path)
                .filter(path -> takesJobs(tree, tenant, path))
                .sorted()
                .map(QueuePath::value)
                .toList();
    }

    private static Refused refused(String message, @Nullable QueuePath rejected, List<String> usable) {
        String shown = String.join(", ", usable.subList(0, Math.min(NAMED, usable.size())));
        String allowed = usable.isEmpty()
                ? "no queue is open to you; ask an administrator for one"
                : shown + (usable.size() > NAMED ? " and " + (usable.size() - NAMED) + " more" : "");
        return new Refused(new Violation("/queue", message, rejected == null ? null : rejected.value(), allowed));
    }
}

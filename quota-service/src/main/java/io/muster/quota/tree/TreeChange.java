package io.muster.quota.tree;

import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaTree;
import java.util.List;

/** What became of the wish to replace the tree. */
sealed interface TreeChange {

    /**
     * The tree holds, or would hold if this was a dry run. A document that changes nothing keeps its version.
     *
     * @param dryRun nothing was stored
     */
    record Made(QuotaTree tree, boolean dryRun, TreeComparison comparison, List<Notice> warnings)
            implements TreeChange {}

    /** Somebody else has replaced the tree since it was read. */
    record Stale(long current) implements TreeChange {}

    record Refused(List<Violation> violations) implements TreeChange {}
}

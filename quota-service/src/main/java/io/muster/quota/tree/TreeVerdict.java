package io.muster.quota.tree;

import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaTree;
import java.util.List;

/** What {@link TreeRules} says of a document. */
sealed interface TreeVerdict {

    record Accepted(QuotaTree tree, List<Notice> warnings) implements TreeVerdict {
        public Accepted {
            warnings = List.copyOf(warnings);
        }
    }

    record Refused(List<Violation> violations) implements TreeVerdict {
        public Refused {
            violations = List.copyOf(violations);
            if (violations.isEmpty()) {
                throw new IllegalArgumentException("a refusal without a violation");
            }
        }
    }
}

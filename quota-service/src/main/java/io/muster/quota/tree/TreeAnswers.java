package io.muster.quota.tree;

import io.muster.contract.problem.Problem;
import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.Problems;
import java.util.List;
import org.springframework.http.ResponseEntity;

/** How the outcomes of this feature look as HTTP. */
final class TreeAnswers {

    private TreeAnswers() {}

    /**
     * What {@code PUT} answers.
     *
     * @param differences in words, by path
     */
    record Change(
            boolean dryRun,
            QuotaTree tree,
            List<String> differences,
            List<TreeComparison.Impact> impact,
            List<Notice> warnings) {}

    static ResponseEntity<?> of(TreeChange change) {
        return switch (change) {
            case TreeChange.Made made ->
                tagged(
                        made.tree(),
                        new Change(
                                made.dryRun(),
                                made.tree(),
                                made.comparison().differences(),
                                made.comparison().impact(),
                                made.warnings()));
            case TreeChange.Stale(long current) ->
                Problems.answer(Problem.of(
                        412,
                        "QUOTA_TREE_CHANGED_MEANWHILE",
                        "Somebody else has changed the quota tree",
                        "The quota tree is at version " + current + " now; If-Match names another one.",
                        "Read the tree again, make your change in it, and send it with If-Match \"" + current + "\"."));
            case TreeChange.Refused(var violations) ->
                Problems.answer(Problem.of(
                                400,
                                "INVALID_QUOTA_TREE",
                                "The quota tree breaks its rules",
                                violations.size() + (violations.size() == 1 ? " thing is" : " things are")
                                        + " wrong with this tree; nothing was changed.",
                                "Correct every entry of violations; ?dryRun=true checks without changing anything.")
                        .with(violations));
        };
    }

    static <T> ResponseEntity<T> tagged(QuotaTree tree, T body) {
        return ResponseEntity.ok().eTag("\"" + tree.version() + "\"").body(body);
    }

    static ResponseEntity<?> ifMatchMissing() {
        return Problems.answer(Problem.of(
                428,
                "IF_MATCH_REQUIRED",
                "If-Match is missing",
                "A change of the quota tree says which version it was made from.",
                "Send the ETag of GET /api/v1/quota/tree as If-Match, such as If-Match: \"3\"."));
    }

    static ResponseEntity<?> forbidden(UserCaller caller, String what, String who) {
        return Problems.answer(Problem.of(
                403,
                "FORBIDDEN",
                "The role of this key does not allow it",
                "Key " + caller.keyId() + " has the role " + caller.role() + "; " + what + " needs " + who + ".",
                "Use a key with the role " + who + ", or ask an administrator."));
    }

    static ResponseEntity<?> unknownNode(String path) {
        return Problems.answer(
                Problem.of(
                        404,
                        "QUOTA_NODE_NOT_FOUND",
                        "There is no such quota node",
                        "The quota tree has no node '" + path + "'.",
                        "GET /api/v1/quota/tree lists all nodes; in this path names are joined by dots, such as nlp.pretrain."));
    }
}

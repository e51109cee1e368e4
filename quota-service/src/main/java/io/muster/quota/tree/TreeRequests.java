package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.page.PageToken;
import io.muster.edge.problem.ProblemException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what a caller of this feature writes in paths, headers and parameters. */
final class TreeRequests {

    private static final String VERSION = "[0-9]{1,18}";

    private TreeRequests() {}

    /** The version that If-Match names; -1, which no tree has, if it is not one of our tags; null without If-Match. */
    static @Nullable Long version(@Nullable String ifMatch) {
        if (ifMatch == null || ifMatch.isBlank()) {
            return null;
        }
        String tag = ifMatch.strip();
        boolean ours = tag.matches("\"" + VERSION + "\"");
        return ours ? Long.parseLong(tag.substring(1, tag.length() - 1)) : Long.valueOf(-1);
    }

    /** {@code nlp.pretrain} is {@code nlp/pretrain}; empty if it cannot be a path. */
    static Optional<QueuePath> path(String dotted) {
        try {
            return Optional.of(new QueuePath(dotted.replace('.', '/')));
        } catch (IllegalArgumentException notAPath) {
            return Optional.empty();
        }
    }

    /** The version that the page before ended with. */
    static @Nullable Long before(@Nullable String pageToken) {
        if (pageToken == null) {
            return null;
        }
        String key = PageToken.decode(pageToken).lastKey();
        if (!key.matches(VERSION)) {
            throw new ProblemException(Problem.of(
                            400,
                            "INVALID_PAGE_TOKEN",
                            "The page token is not one of ours",
                            "pageToken is a token of another list.",
                            "Use nextPageToken of the page before as it is.")
                    .with(List.of(new Violation("/pageToken", "not a token of the audit", null, "nextPageToken"))));
        }
        return Long.parseLong(key);
    }
}

package io.muster.gateway.access;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.edge.problem.ProblemException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which page of a list is wanted.
 *
 * @param after the last key of the page before; empty for the first
 */
record PageWish(String after, int size) {

    static PageWish of(@Nullable String pageToken, @Nullable Integer pageSize) {
        int size = pageSize == null ? Page.DEFAULT_SIZE : pageSize;
        if (size < 1 || size > Page.MAX_SIZE) {
            throw new ProblemException(Problem.of(
                            400,
                            "INVALID_PARAMETER",
                            "A parameter is not valid",
                            "pageSize is " + size + "; it must be 1 to " + Page.MAX_SIZE + ".",
                            null)
                    .with(List.of(new Violation(
                            "/pageSize", "is out of range", String.valueOf(size), "1 to " + Page.MAX_SIZE))));
        }
        return new PageWish(pageToken == null ? "" : PageToken.decode(pageToken).lastKey(), size);
    }

    /** @param found one more than the page holds, if there are more */
    <T> Page<T> page(List<T> found, Function<T, String> key) {
        if (found.size() <= size) {
            return new Page<>(found, null);
        }
        List<T> items = found.subList(0, size);
        return new Page<>(items, new PageToken(key.apply(items.getLast())).encoded());
    }
}

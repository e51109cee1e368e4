package io.muster.contract.problem;

import org.jspecify.annotations.Nullable;

/**
 * One thing wrong with a request.
 *
 * @param pointer JSON pointer to it, such as {@code /resources/nodes}
 * @param rejected the value, shortened to 200 characters
 * @param allowed what would be accepted
 */
public record Violation(
        String pointer,
        String message,
        @Nullable String rejected,
        @Nullable String allowed) {}

package io.muster.health.node;

import io.muster.contract.node.NodeCondition;
import org.jspecify.annotations.Nullable;

/** Which nodes a list shows; null: all. */
public record NodeFilter(
        @Nullable NodeCondition condition, @Nullable String rack) {}

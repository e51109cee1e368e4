package io.muster.contract.scheduling;

import org.jspecify.annotations.Nullable;

/** The verdict and, unless it can start now, why not. */
public record FeasibilityAnswer(
        FeasibilityVerdict verdict, @Nullable Explanation explanation) {}

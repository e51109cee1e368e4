package io.muster.contract.agent;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One rank on this node; with torchrun, the one process that starts the others. */
public record RankReport(
        int rank,
        int localRank,
        long pid,
        Instant startedAt,
        boolean clientReady,
        @Nullable RankExit exit) {}

package io.muster.contract.agent;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * @param code exit code; 128 + signal when killed by one
 * @param lastLine the last line of a traceback, or the last line printed
 */
public record RankExit(
        int code,
        @Nullable Integer signal,
        ExitCause cause,
        @Nullable String lastLine,
        Instant at) {}

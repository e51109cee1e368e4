package io.muster.health.check;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The checks of tier A by name (docs/checks.md says what each result means). All are required: one that failed or could
 * not run keeps work off.
 */
public enum TierACheck {
    GPU_COUNT(Blames.NODE, Runs.ALWAYS),
    LEFTOVER_PROCESSES(Blames.NODE, Runs.ALWAYS),
    DISK_SPACE(Blames.NODE, Runs.ALWAYS),
    DISK_WRITE_READ(Blames.NODE, Runs.ALWAYS),
    MEMORY(Blames.NODE, Runs.ALWAYS),
    CLOCK_OFFSET(Blames.NODE, Runs.HERE),
    TCP_PAIRS(Blames.JUDGED_BY_PAIRS, Runs.IN_A_GANG),
    NAME_RESOLUTION(Blames.NODE, Runs.ALWAYS),
    FD_LIMIT(Blames.NODE, Runs.ALWAYS),
    STORE_REACHABLE(Blames.NODE_UNLESS_ALL, Runs.ALWAYS),
    AGENT_VERSION(Blames.NODE, Runs.HERE),
    RESTORE_VERIFIED(Blames.NOBODY, Runs.IN_A_GANG);

    /** Whose fault a failure is. */
    public enum Blames {
        NODE,
        /** If it fails on every member of a gang, the cause is shared and no node is to blame. */
        NODE_UNLESS_ALL,
        /** One end of a pair cannot say which end is broken. */
        JUDGED_BY_PAIRS,
        /** The shards, not the node. */
        NOBODY
    }

    /** Where and when a check runs. */
    public enum Runs {
        /** By the agent, in preflight and whenever the node is looked at. */
        ALWAYS,
        /** By the agent, in preflight only. */
        IN_A_GANG,
        /** By health-service, from what the agent says. */
        HERE
    }

    private final Blames blames;
    private final Runs runs;

    TierACheck(Blames blames, Runs runs) {
        this.blames = blames;
        this.runs = runs;
    }

    public String checkName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public Blames blames() {
        return blames;
    }

    public Runs runs() {
        return runs;
    }

    public static Optional<TierACheck> named(String checkName) {
        return Arrays.stream(values())
                .filter(check -> check.checkName().equals(checkName))
                .findFirst();
    }
}

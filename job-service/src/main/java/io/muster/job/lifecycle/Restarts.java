package io.muster.job.lifecycle;

import org.jspecify.annotations.Nullable;

/**
 * How often the job has been started again, by whose fault. A restart is charged when the attempt before it is over, once,
 * by its final verdict: a lost node, or agents that stayed silent, to the platform, processes that ended badly on healthy nodes to the user. A start that
 * was given up before any rank ran, and an agent that was shut down, are charged to nobody.
 *
 * @param lastError the error of the program for which the attempt now running was started, if that is why
 */
public record Restarts(int platform, int user, @Nullable ProgramError lastError) {

    /** Where and with which last words a program failed. */
    public record ProgramError(String lastLine, long step) {}

    static final Restarts NONE = new Restarts(0, 0, null);

    Restarts noting(@Nullable ProgramError error) {
        return new Restarts(platform, user, error);
    }

    /** After an attempt that is followed by another one. */
    Restarts after(JobReason reason, boolean ranksRan) {
        if (reason == JobReason.NODE_LOST || reason == JobReason.EVIDENCE_MISSING) {
            return new Restarts(platform + (ranksRan ? 1 : 0), user, null);
        }
        boolean ofTheProcesses = ExitVerdict.weakerThanALostNode(reason) && reason != JobReason.AGENT_DOWN;
        return new Restarts(
                platform, user + (ofTheProcesses ? 1 : 0), reason == JobReason.USER_ERROR ? lastError : null);
    }
}

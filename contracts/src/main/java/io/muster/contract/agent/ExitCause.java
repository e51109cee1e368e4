package io.muster.contract.agent;

/** Why a rank ended, as its agent reads it from exit code, signal, kernel log and last lines. */
public enum ExitCause {
    COMPLETED,
    USER_ERROR,
    OUT_OF_MEMORY,
    SIGNAL,
    LOST_CONNECTION,
    START_FAILED,
    STOPPED,
    AGENT_DOWN
}

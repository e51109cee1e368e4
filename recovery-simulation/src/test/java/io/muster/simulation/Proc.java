package io.muster.simulation;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.ExitCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rank's process on a machine. How it ended stays readable, as its exit file does. */
public final class Proc {

    public final AttemptKey key;
    public final int generation;
    public final int rank;
    public final int localRank;
    public final Machine machine;
    public final List<Integer> gpus;
    public final long pid;
    public final long startedAt;
    private boolean alive = true;
    private boolean hello;
    private int code;
    private @Nullable ExitCause cause;
    private @Nullable String lastLine;

    Proc(
            AttemptKey key,
            int generation,
            int rank,
            int localRank,
            Machine machine,
            List<Integer> gpus,
            long pid,
            long now) {
        this.key = key;
        this.generation = generation;
        this.rank = rank;
        this.localRank = localRank;
        this.machine = machine;
        this.gpus = List.copyOf(gpus);
        this.pid = pid;
        this.startedAt = now;
    }

    public boolean alive() {
        return alive;
    }

    public boolean hello() {
        return hello;
    }

    public int code() {
        return code;
    }

    /** What its exit file and last lines tell; SIGNAL if it was killed. */
    public @Nullable ExitCause cause() {
        return cause;
    }

    public @Nullable String lastLine() {
        return lastLine;
    }

    void sayHello() {
        hello = alive;
    }

    /** False if it had ended before. */
    boolean end(int exitCode, ExitCause why, String line) {
        if (!alive) {
            return false;
        }
        alive = false;
        code = exitCode;
        cause = why;
        lastLine = line;
        return true;
    }

    @Override
    public String toString() {
        return key + " rank " + rank + " on " + machine.id;
    }
}

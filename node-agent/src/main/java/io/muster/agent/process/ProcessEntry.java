package io.muster.agent.process;

import java.util.List;
import java.util.Optional;

/**
 * One process as {@code /proc/PID/stat} shows it.
 *
 * @param startTicks clock ticks from boot to its start; with the pid it names a process for ever
 */
public record ProcessEntry(long pid, long parent, long group, long session, char state, long startTicks) {

    /** Zombies and the dead do no harm and hold nothing. */
    public boolean alive() {
        return state != 'Z' && state != 'X' && state != 'x';
    }

    /** Reads the line; the name in it may hold spaces and parentheses, so counting begins after the last one. */
    static Optional<ProcessEntry> parse(String stat) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        if (open < 2 || close < open || close + 2 >= stat.length()) {
            return Optional.empty();
        }
        List<String> fields = List.of(stat.substring(close + 2).strip().split(" ", -1));
        if (fields.size() < 20) {
            return Optional.empty();
        }
        return Optional.of(new ProcessEntry(
                Long.parseLong(stat.substring(0, open - 1)),
                Long.parseLong(fields.get(1)),
                Long.parseLong(fields.get(2)),
                Long.parseLong(fields.get(3)),
                fields.get(0).charAt(0),
                Long.parseLong(fields.get(19))));
    }
}

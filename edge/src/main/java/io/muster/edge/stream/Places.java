package io.muster.edge.stream;

import io.muster.contract.problem.Problem;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many streams are open, and with which key. The service's limit is told before the caller's own, and neither lets a
 * caller's open streams be ended for a new one.
 */
final class Places {

    private final int most;
    private final int mostPerCaller;
    private final Map<String, Integer> taken = new HashMap<>();
    private int open;

    Places(int most, int mostPerCaller) {
        this.most = most;
        this.mostPerCaller = mostPerCaller;
    }

    /** Empty if there is a place, which is now taken; else why not. */
    synchronized Optional<Problem> take(String caller) {
        if (open >= most) {
            return Optional.of(full());
        }
        int own = taken.getOrDefault(caller, 0);
        if (own >= mostPerCaller) {
            return Optional.of(tooMany(caller, own));
        }
        taken.put(caller, own + 1);
        open++;
        return Optional.empty();
    }

    synchronized void giveBack(String caller) {
        taken.computeIfPresent(caller, (key, own) -> own == 1 ? null : own - 1);
        open--;
    }

    synchronized int open() {
        return open;
    }

    private Problem full() {
        return Problem.of(
                503,
                "TOO_MANY_STREAMS",
                "Too many streams are open",
                "This instance of the service serves " + open + " streams, the most it serves at once (" + most + ").",
                "Try again in a few seconds, or ask for the same path without 'Accept: text/event-stream'.");
    }

    private Problem tooMany(String caller, int own) {
        return Problem.of(
                429,
                "TOO_MANY_STREAMS_OF_CALLER",
                "You have too many streams open",
                "API key " + caller + " has " + own + " streams open, the most for one key (" + mostPerCaller
                        + "); one whose reader has gone counts until the next heartbeats fail.",
                "Close streams that nobody reads; one on /api/v1/jobs tells of every job.");
    }
}

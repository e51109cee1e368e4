package io.muster.contract.scheduling;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Why a job does not run, from the decision itself.
 *
 * @param reason main reason, a stable code such as FRAGMENTED
 * @param category WAIT, CHANGE_REQUEST, ASK_ADMIN or PLATFORM
 * @param blockers further codes that also stand in the way
 * @param numbers requestedGpus, freeGpus, largestGangNow and the like, by name
 * @param sentence for a person, with the numbers
 * @param hint what the person can do
 */
public record Explanation(
        String reason,
        String category,
        List<String> blockers,
        List<NodeTally> nodeTally,
        Map<String, Long> numbers,
        String sentence,
        String hint,
        Instant evaluatedAt) {

    public Explanation {
        blockers = List.copyOf(blockers);
        nodeTally = List.copyOf(nodeTally);
        numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    }
}

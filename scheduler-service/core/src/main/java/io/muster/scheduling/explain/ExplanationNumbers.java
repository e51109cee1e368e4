package io.muster.scheduling.explain;

import io.muster.scheduling.placement.LargestGang;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers behind an explanation.
 *
 * @param freeGpus free on nodes that match and take work
 * @param freeGpusIfHealthy the same with all holds lifted
 * @param freeNodesThatFit nodes that could be a member now
 * @param spareNodes nodes marked as spare, which new jobs cannot have
 * @param largestGangNow per level, node first
 * @param quota null where no limit stands in the way
 * @param line null for a job that is not in line, such as one only asked about
 * @param repair null for a gang that is not wounded
 */
public record ExplanationNumbers(
        int requestedNodes,
        long requestedGpus,
        int registeredNodes,
        long freeGpus,
        long freeGpusIfHealthy,
        int freeNodesThatFit,
        int spareNodes,
        List<LargestGang> largestGangNow,
        @Nullable QuotaNumbers quota,
        @Nullable LinePosition line,
        @Nullable RepairNumbers repair) {

    public ExplanationNumbers {
        largestGangNow = List.copyOf(largestGangNow);
    }

    /** All of them by name, for an interface that carries names and numbers. */
    public Map<String, Long> byName() {
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("requestedNodes", (long) requestedNodes);
        numbers.put("requestedGpus", requestedGpus);
        numbers.put("registeredNodes", (long) registeredNodes);
        numbers.put("freeGpus", freeGpus);
        numbers.put("freeGpusIfHealthy", freeGpusIfHealthy);
        numbers.put("freeNodesThatFit", (long) freeNodesThatFit);
        numbers.put("spareNodes", (long) spareNodes);
        for (LargestGang largest : largestGangNow) {
            String level = largest.level().name();
            numbers.put("largestGangNow" + level.charAt(0) + level.substring(1).toLowerCase(Locale.ROOT), (long)
                    largest.nodes());
        }
        if (quota != null) {
            numbers.put("quotaUsedGpus", quota.usedGpus());
            numbers.put("quotaLimitGpus", quota.limitGpus());
        }
        if (line != null) {
            numbers.put("position", (long) line.position());
            numbers.put("gpusAhead", line.gpusAhead());
        }
        if (repair != null) {
            numbers.put("healthyNodes", (long) repair.healthyNodes());
            numbers.put("lostNodes", (long) repair.lostNodes());
            numbers.put("replaceableNodes", (long) repair.replaceableNodes());
            numbers.put("fittingSpareNodes", (long) repair.fittingSpareNodes());
        }
        return Collections.unmodifiableMap(numbers);
    }
}

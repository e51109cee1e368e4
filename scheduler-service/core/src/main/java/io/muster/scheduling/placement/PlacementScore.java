package io.muster.scheduling.placement;

import io.muster.scheduling.gang.DomainType;
import java.util.Comparator;

/**
 * How good a domain is for a gang; the first difference decides, smaller is better.
 *
 * @param stage place of the GPU model in the order of preference
 * @param level tightest domain that fits
 * @param wholeNodesBroken big holes are kept: nodes that were whole and would be left in parts
 * @param leftoverGpus fullest domain first: free GPUs in it after the gang
 * @param group place of the driver, newest first
 * @param domain number of the domain, so that equals are decided the same way every time
 */
public record PlacementScore(int stage, DomainType level, int wholeNodesBroken, int leftoverGpus, int group, int domain)
        implements Comparable<PlacementScore> {

    private static final Comparator<PlacementScore> ORDER = Comparator.comparingInt(PlacementScore::stage)
            .thenComparing(PlacementScore::level)
            .thenComparingInt(PlacementScore::wholeNodesBroken)
            .thenComparingInt(PlacementScore::leftoverGpus)
            .thenComparingInt(PlacementScore::group)
            .thenComparingInt(PlacementScore::domain);

    @Override
    public int compareTo(PlacementScore other) {
        return ORDER.compare(this, other);
    }
}

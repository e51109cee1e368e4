package io.muster.scheduling.explain;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.KnownJob;
import io.muster.scheduling.cluster.LineEntry;
import io.muster.scheduling.gang.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where a job stands among all that wait.
 *
 * @param position 1 is the head
 * @param gpusAhead GPUs asked for by those before it
 * @param firstAhead up to three of those before it, head of the line first
 */
public record LinePosition(int position, long gpusAhead, List<JobId> firstAhead) {

    private static final int EXAMPLES = 3;

    public LinePosition {
        firstAhead = List.copyOf(firstAhead);
    }

    public static LinePosition of(ClusterView view, LineEntry place) {
        List<JobId> first = new ArrayList<>();
        for (Map.Entry<LineEntry, KnownJob> entry : view.waiting()) {
            if (first.size() == EXAMPLES || entry.getKey().compareTo(place) >= 0) {
                break;
            }
            first.add(entry.getKey().job());
        }
        return new LinePosition(
                view.waiting().sizeBefore(place) + 1, view.waiting().weightBefore(place), first);
    }
}

package io.muster.health.lease;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the sweeps decide, in the order in which it is written. */
public sealed interface LeaseVerdict {

    /**
     * Too many nodes are silent at once to blame the nodes: nothing is held until it is known that we can hear.
     *
     * @param missing all that are silent, also those whose lease still runs
     * @param lostBefore nodes that were lost one by one within the last lease, before it was a mass
     * @param all all nodes of which a lease ran within the last lease
     */
    record IncidentOpened(List<ExpiredLease> missing, int lostBefore, int all) implements LeaseVerdict {
        public IncidentOpened {
            missing = List.copyOf(missing);
        }
    }

    /**
     * These nodes are lost.
     *
     * @param domain what they share; null: each is lost by itself
     */
    record Lost(List<ExpiredLease> nodes, @Nullable LostDomain domain) implements LeaseVerdict {
        public Lost {
            nodes = List.copyOf(nodes);
        }
    }

    /** Every node has been heard again or is judged. */
    record IncidentClosed(int heardAgain, int lost) implements LeaseVerdict {}
}

package io.muster.quota.ledger;

import io.muster.contract.id.QueuePath;
import java.util.Map;
import org.springframework.stereotype.Component;

/** How many GPUs are held at this moment, as far as placements have been heard of. */
@Component
public class HeldGpus {

    private final LedgerRepository intervals;

    HeldGpus(LedgerRepository intervals) {
        this.intervals = intervals;
    }

    public Map<QueuePath, Long> byQueue() {
        return intervals.heldByQueue();
    }
}

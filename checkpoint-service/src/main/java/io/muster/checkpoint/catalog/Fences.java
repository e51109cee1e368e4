package io.muster.checkpoint.catalog;

import io.muster.contract.id.JobId;
import org.springframework.stereotype.Component;

/** Where the fence of a job stands at this moment. */
@Component
public class Fences {

    private final CatalogRepository catalog;
    private final CheckpointMetrics metrics;

    Fences(CatalogRepository catalog, CheckpointMetrics metrics) {
        this.catalog = catalog;
        this.metrics = metrics;
    }

    public Fence of(JobId job, int attempt) {
        Fence fence =
                Fence.of(job, attempt, catalog.head(job).map(JobHead::fence).orElse(0));
        if (fence instanceof Fence.Passed) {
            metrics.fenced();
        }
        return fence;
    }
}

package io.muster.job.waste;

/**
 * GPU-milliseconds and what became of them. The five parts are the held time, exactly.
 *
 * @param usefulGpuMillis training whose result was kept
 * @param checkpointStallGpuMillis training stood still for checkpoints
 * @param restartGpuMillis an attempt was alive and did not train: coming up, or being cleared away for the next one
 * @param recomputeGpuMillis training that was lost and done again
 * @param heldIdleGpuMillis nothing that trains, or is to train, was alive
 */
public record GpuTime(
        long heldGpuMillis,
        long usefulGpuMillis,
        long checkpointStallGpuMillis,
        long restartGpuMillis,
        long recomputeGpuMillis,
        long heldIdleGpuMillis) {

    static final GpuTime NONE = new GpuTime(0, 0, 0, 0, 0, 0);

    public GpuTime {
        long parts =
                usefulGpuMillis + checkpointStallGpuMillis + restartGpuMillis + recomputeGpuMillis + heldIdleGpuMillis;
        if (parts != heldGpuMillis) {
            throw new IllegalArgumentException("the parts are " + parts + " of " + heldGpuMillis + " GPU-ms held");
        }
    }

    static GpuTime useful(long millis) {
        return new GpuTime(millis, millis, 0, 0, 0, 0);
    }

    static GpuTime stall(long millis) {
        return new GpuTime(millis, 0, millis, 0, 0, 0);
    }

    static GpuTime restart(long millis) {
        return new GpuTime(millis, 0, 0, millis, 0, 0);
    }

    static GpuTime recompute(long millis) {
        return new GpuTime(millis, 0, 0, 0, millis, 0);
    }

    static GpuTime idle(long millis) {
        return new GpuTime(millis, 0, 0, 0, 0, millis);
    }

    GpuTime plus(GpuTime more) {
        return new GpuTime(
                heldGpuMillis + more.heldGpuMillis,
                usefulGpuMillis + more.usefulGpuMillis,
                checkpointStallGpuMillis + more.checkpointStallGpuMillis,
                restartGpuMillis + more.restartGpuMillis,
                recomputeGpuMillis + more.recomputeGpuMillis,
                heldIdleGpuMillis + more.heldIdleGpuMillis);
    }
}

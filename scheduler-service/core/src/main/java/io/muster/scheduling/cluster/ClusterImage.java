package io.muster.scheduling.cluster;

import java.util.List;

/** The whole cluster at one moment, immutable and safe to read from any thread. It shares its pages with its neighbours. */
public final class ClusterImage extends ClusterView {

    public static final ClusterImage EMPTY = new ClusterImage(new Tables());

    ClusterImage(Tables frozen) {
        super(frozen);
    }

    /** The image after these records. */
    public ClusterImage replay(List<? extends ClusterRecord> records) {
        WorkingCopy copy = WorkingCopy.of(this);
        records.forEach(copy::apply);
        return copy.publish();
    }
}

package io.muster.scheduling.placement.goal;

import io.muster.scheduling.gang.GpuModel;

/** Node classes, by number, that may stand together in one gang. */
public final class UniformGroup {

    private final GpuModel model;
    private final boolean[] classes;

    UniformGroup(GpuModel model, boolean[] classes) {
        this.model = model;
        this.classes = classes;
    }

    public GpuModel model() {
        return model;
    }

    public boolean contains(int classNumber) {
        return classes[classNumber];
    }

    /** Indexed by class number; not to be changed. */
    public boolean[] classes() {
        return classes;
    }
}

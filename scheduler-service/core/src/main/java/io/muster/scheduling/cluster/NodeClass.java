package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GpuModel;
import java.util.Set;

/**
 * What a request can tell apart about nodes, apart from their place and their free GPUs. A cluster has few classes, so a
 * request is judged once per class and not once per node.
 *
 * @param alive the node's lease runs
 * @param gpus all GPUs of the node, used and held ones included
 */
public record NodeClass(GpuModel model, DriverVersion driver, int gpus, Set<HoldEffect> effects, boolean alive) {

    public NodeClass {
        effects = Set.copyOf(effects);
    }

    /** A gang of any size may be placed here. */
    public boolean takesWork() {
        return takesSmallWork() && !effects.contains(HoldEffect.SMALL_ONLY);
    }

    /** A gang of one node may be placed here. */
    public boolean takesSmallWork() {
        return alive
                && !effects.contains(HoldEffect.NO_NEW_WORK)
                && !effects.contains(HoldEffect.DRAIN)
                && !effects.contains(HoldEffect.EVICT);
    }

    public boolean evicts() {
        return effects.contains(HoldEffect.EVICT);
    }
}

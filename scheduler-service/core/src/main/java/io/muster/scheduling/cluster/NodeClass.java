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
 * @param spare kept free for repairs of wounded gangs; no new job may use it
 */
public record NodeClass(
        GpuModel model, DriverVersion driver, int gpus, Set<HoldEffect> effects, boolean alive, boolean spare) {

    public NodeClass {
        effects = Set.copyOf(effects);
    }

    /** A member of a gang of any size may begin here. */
    public boolean takesWork() {
        return takesSmallWork() && !effects.contains(HoldEffect.SMALL_ONLY);
    }

    /** A gang of one node may begin here. */
    public boolean takesSmallWork() {
        return alive
                && !effects.contains(HoldEffect.NO_NEW_WORK)
                && !effects.contains(HoldEffect.DRAIN)
                && !effects.contains(HoldEffect.EVICT);
    }

    /** A job that holds nothing yet may begin here. */
    public boolean takesNewJobs() {
        return takesSmallWork() && !spare;
    }

    public boolean evicts() {
        return effects.contains(HoldEffect.EVICT);
    }
}

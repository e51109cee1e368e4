package io.muster.scheduler.translation;

import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.Hold;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.NodeState;
import io.muster.scheduling.cluster.ClusterRecord.NodeChanged;
import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.cluster.NodeDomains;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.NodeId;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Set;

/**
 * What the core sees of a node. Holds on the node or on a domain forbid as their effect says, and EVICT wounds the gangs
 * there; a hold on a GPU, whatever its effect, and an agent's veto take that one GPU out of placement, free nothing and
 * wound nobody: the processes on the node's other GPUs still run, and a member whose ranks die of that GPU is
 * job-service's matter. One node counts as one GPU model, that of its first GPU; GPUs of another model and gaps in the
 * numbering are never placed. A retired node takes no work.
 */
public final class NodeRecords {

    /** The cause of the hold that health-service opens when a lease runs out. */
    private static final String LEASE_EXPIRED = "LEASE_EXPIRED";

    private static final GpuModel NO_GPU = new GpuModel("none");
    private static final GpuModel UNNAMED = new GpuModel("unknown");

    private NodeRecords() {}

    public static NodeChanged of(NodeState state) {
        NodeFacts facts = state.facts();
        GpuModel model = model(facts);
        return new NodeChanged(
                new NodeId(state.node().value()),
                model,
                DriverVersion.parse(facts.driverVersion()).orElse(DriverVersion.UNKNOWN),
                places(facts),
                unusable(state, model),
                new NodeDomains(
                        facts.domains().rack(),
                        facts.domains().power(),
                        facts.domains().pod(),
                        facts.domains().cluster()),
                effects(state),
                state.holds().stream().noneMatch(hold -> hold.cause().equals(LEASE_EXPIRED)),
                state.spare());
    }

    private static GpuModel model(NodeFacts facts) {
        return facts.gpus().stream()
                .min(Comparator.comparingInt(GpuFacts::index))
                .map(NodeRecords::named)
                .orElse(NO_GPU);
    }

    private static GpuModel named(GpuFacts gpu) {
        return gpu.model().isBlank() ? UNNAMED : new GpuModel(gpu.model());
    }

    /** One more than the highest index. */
    private static int places(NodeFacts facts) {
        return facts.gpus().stream().mapToInt(gpu -> gpu.index() + 1).max().orElse(0);
    }

    private static long unusable(NodeState state, GpuModel model) {
        int places = places(state.facts());
        long all = places == Long.SIZE ? -1L : (1L << places) - 1;
        long usable = 0;
        for (GpuFacts gpu : state.facts().gpus()) {
            if (!gpu.vetoed() && named(gpu).equals(model) && !held(state, gpu)) {
                usable |= 1L << gpu.index();
            }
        }
        return all & ~usable;
    }

    private static boolean held(NodeState state, GpuFacts gpu) {
        String target = state.node().value() + "/" + gpu.index();
        return state.holds().stream().anyMatch(hold -> switch (hold.scope()) {
            case GPU -> hold.target().equals(target);
            case NODE, DOMAIN -> false;
        });
    }

    private static Set<HoldEffect> effects(NodeState state) {
        Set<HoldEffect> effects = EnumSet.noneOf(HoldEffect.class);
        for (Hold hold : state.holds()) {
            switch (hold.scope()) {
                case NODE, DOMAIN -> effects.add(effect(hold));
                case GPU -> {}
            }
        }
        if (state.condition() == NodeCondition.RETIRED) {
            effects.add(HoldEffect.NO_NEW_WORK);
        }
        return effects;
    }

    private static HoldEffect effect(Hold hold) {
        return switch (hold.effect()) {
            case NO_NEW_WORK -> HoldEffect.NO_NEW_WORK;
            case SMALL_ONLY -> HoldEffect.SMALL_ONLY;
            case DRAIN -> HoldEffect.DRAIN;
            case EVICT -> HoldEffect.EVICT;
        };
    }
}

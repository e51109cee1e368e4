package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.Cell;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A replacement suits the members that stay: their GPU model and, where asked, their driver; the domain that all must
 * share. Members that no longer suit one another, because a node was registered anew elsewhere, have no replacement:
 * no hard goal is traded for a repair.
 */
public final class JoiningGoal {

    private static final int NO_COMMON_DOMAIN = -1;

    private final DomainType bound;
    private final Set<GpuModel> models = new TreeSet<>();
    private final Set<DriverVersion> drivers = new TreeSet<>();
    private final boolean equalDriver;
    private final int[] common = new int[DomainType.values().length];
    private final BitSet[] near = new BitSet[common.length];

    /** {@code staying} are the nodes of the members that stay, at least one. */
    public JoiningGoal(ClusterView view, GangRequest request, List<Integer> staying) {
        this.bound = WithinGoal.bound(request);
        this.equalDriver = request.equalDriver();
        for (int node : staying) {
            NodeClass nodeClass = view.nodeClass(view.classNumber(node));
            models.add(nodeClass.model());
            drivers.add(nodeClass.driver());
        }
        for (DomainType type : DomainType.aboveNode()) {
            BitSet domains = new BitSet();
            staying.forEach(node -> domains.set(view.cell(view.cellNumber(node)).domain(type)));
            near[type.ordinal()] = domains;
            common[type.ordinal()] = domains.cardinality() == 1 ? domains.nextSetBit(0) : NO_COMMON_DOMAIN;
        }
    }

    public Optional<NodeRefusal> refusal(NodeClass nodeClass) {
        boolean alike = models.size() == 1
                && models.contains(nodeClass.model())
                && (!equalDriver || (drivers.size() == 1 && drivers.contains(nodeClass.driver())));
        return alike ? Optional.empty() : Optional.of(NodeRefusal.UNLIKE_THE_GANG);
    }

    public Optional<NodeRefusal> refusal(Cell cell) {
        return bound != DomainType.NODE && cell.domain(bound) == common[bound.ordinal()]
                ? Optional.empty()
                : Optional.of(NodeRefusal.APART_FROM_THE_GANG);
    }

    /** The ordinal of the tightest level that would hold the whole gang with a member in this cell. */
    public int levelWith(Cell cell) {
        for (DomainType type : DomainType.aboveNode()) {
            if (cell.domain(type) == common[type.ordinal()]) {
                return type.ordinal();
            }
        }
        return DomainType.values().length;
    }

    /** The ordinal of the tightest level at which the cell is together with any member that stays. */
    public int nearest(Cell cell) {
        for (DomainType type : DomainType.aboveNode()) {
            if (near[type.ordinal()].get(cell.domain(type))) {
                return type.ordinal();
            }
        }
        return DomainType.values().length;
    }
}

package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.Cell;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.SpreadLimit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * At most so many members in one domain of a type. Keeps what each domain may still take; taking members anywhere in any
 * order, as long as each domain has room left, always ends with the most members possible.
 */
public final class SpreadGoal {

    private final @Nullable DomainType type;
    private final int maxNodes;
    private final int[] taken;
    private final int[] counted;

    public SpreadGoal(ClusterView view, GangRequest request) {
        @Nullable SpreadLimit limit = request.spread();
        boolean limits = limit != null && limit.domain() != DomainType.NODE && limit.maxNodes() < request.nodes();
        this.type = limits && limit != null ? limit.domain() : null;
        this.maxNodes = limits && limit != null ? limit.maxNodes() : Integer.MAX_VALUE;
        this.taken = new int[type == null ? 0 : view.domainCount(type)];
        this.counted = new int[taken.length];
    }

    /** False where no placement of this gang can break it. */
    public boolean limits() {
        return type != null;
    }

    public void startCounting() {
        Arrays.fill(counted, 0);
    }

    /** How many of these nodes of the cell still count after what was taken and counted in its domain. */
    public int count(Cell cell, int nodes) {
        if (type == null) {
            return nodes;
        }
        int domain = cell.domain(type);
        int allowed = Math.min(nodes, maxNodes - taken[domain] - counted[domain]);
        counted[domain] += allowed;
        return allowed;
    }

    /** Whether the cell's domain takes one more after what was taken. */
    public boolean allows(Cell cell) {
        return type == null || taken[cell.domain(type)] < maxNodes;
    }

    /** Whether more was taken somewhere than is allowed. */
    public boolean exceeded() {
        for (int nodes : taken) {
            if (nodes > maxNodes) {
                return true;
            }
        }
        return false;
    }

    public void take(Cell cell, int nodes) {
        if (type != null) {
            taken[cell.domain(type)] += nodes;
        }
    }
}

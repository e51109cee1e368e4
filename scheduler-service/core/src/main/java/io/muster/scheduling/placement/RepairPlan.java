package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.NodeId;
import java.util.List;

/**
 * How a wounded gang becomes whole.
 *
 * @param members all, in rank order: those that stay on their GPUs, and the replacements in the ranks of the lost ones
 * @param replacements nodes that join, in rank order
 * @param reachedLevel the tightest level that holds all members
 * @param reachedDomain the domain's name at that level
 */
public record RepairPlan(
        List<Member> members, List<NodeId> replacements, DomainType reachedLevel, String reachedDomain) {

    public RepairPlan {
        members = List.copyOf(members);
        replacements = List.copyOf(replacements);
    }
}

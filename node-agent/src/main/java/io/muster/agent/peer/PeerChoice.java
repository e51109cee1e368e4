package io.muster.agent.peer;

import io.muster.contract.agent.GangMember;
import java.util.List;
import java.util.Optional;

/**
 * Who keeps the copies of a member's shards: the next member in rank order, cyclic, that is in another rack. Without
 * one, and for a member whose rack is not known, there is no peer. Every member comes to the same answer.
 */
public final class PeerChoice {

    private PeerChoice() {}

    public static Optional<GangMember> of(List<GangMember> members, int nodeRank) {
        List<GangMember> order = members.stream()
                .sorted((one, other) -> Integer.compare(one.nodeRank(), other.nodeRank()))
                .toList();
        for (int place = 0; place < order.size(); place++) {
            GangMember self = order.get(place);
            if (self.nodeRank() != nodeRank || self.rack().isBlank()) {
                continue;
            }
            for (int further = 1; further < order.size(); further++) {
                GangMember other = order.get((place + further) % order.size());
                if (!other.rack().isBlank() && !other.rack().equals(self.rack())) {
                    return Optional.of(other);
                }
            }
        }
        return Optional.empty();
    }
}

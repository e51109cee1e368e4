package io.muster.contract.placement;

import io.muster.contract.id.NodeId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node of a gang and the GPUs it holds there.
 *
 * @param nodeRank position in the gang, in topology order
 * @param since from when the GPUs are held (the allocation's database time); the ledger counts from here
 * @param until when they were freed; null while held
 */
public record PlacedMember(
        int nodeRank,
        NodeId node,
        List<Integer> gpus,
        Instant since,
        @Nullable Instant until) {

    public PlacedMember {
        gpus = List.copyOf(gpus);
    }
}

package io.muster.contract.scheduling;

import java.util.List;

/** So many nodes are out for this reason; up to three are named. */
public record NodeTally(String reason, int nodes, List<String> examples) {

    public NodeTally {
        examples = List.copyOf(examples);
    }
}

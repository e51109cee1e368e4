package io.muster.health.check;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.simulation.Hidden;
import java.util.List;

/** Keeps no results for people. */
@SuppressWarnings("NullAway")
public final class SilentLedger extends CheckLedger {

    public SilentLedger() {
        super(null, Hidden.METERS);
    }

    @Override
    public void record(NodeId node, long session, List<CheckResult> results) {
        // decisions are made from what has just arrived
    }

    @Override
    public List<CheckResult> of(NodeId node) {
        return List.of();
    }
}

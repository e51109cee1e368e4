package io.muster.health.lease;

import io.muster.health.node.NodeRecord;
import java.util.List;

/** What the judge does again and again, on one thread that may wait for the database. */
public interface JudgeDuty {

    /** The seat is ours: these are all nodes as they are stored. */
    default void seatTaken(List<NodeRecord> nodes) {}

    void perform();

    default void seatLost() {}
}

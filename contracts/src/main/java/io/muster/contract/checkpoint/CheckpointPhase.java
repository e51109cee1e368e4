package io.muster.contract.checkpoint;

/** How safe a checkpoint is (DESIGN.md section 4). */
public enum CheckpointPhase {
    RESERVED,
    STAGED,
    LOCAL,
    COMMITTED,
    ABANDONED,
    EXPIRED,
    CORRUPT
}

package io.muster.contract.checkpoint;

/**
 * What a committed checkpoint survives (DESIGN.md section 4). PEER: every rank's shard is in the memory of two nodes in
 * different racks. DURABLE: every shard is in the store, flushed and read back.
 */
public enum Durability {
    PEER,
    DURABLE
}

package io.muster.checkpoint.catalog;

/** How safe the shards of a checkpoint are together. */
sealed interface Safety {

    /** A rank has no copy anywhere yet, or none any more. */
    record Incomplete() implements Safety {}

    /** Every rank has a copy; one failure may take all of some rank's. */
    record Local(String why) implements Safety {}

    /** Every rank survives the loss of any one rack or power domain. */
    record Peer() implements Safety {}

    /** Every rank is in the store. */
    record Durable() implements Safety {}
}

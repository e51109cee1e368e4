package io.muster.contract.checkpoint;

/**
 * One rank's bytes, safe in the store.
 *
 * @param path below the store's root
 * @param sha256 lower-case hex over the whole shard
 */
public record StoredShard(int rank, String path, long sizeBytes, String sha256) {}

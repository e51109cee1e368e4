package io.muster.simulator.failure;

/**
 * Where the copies of a gang's shards lie: every member's own memory and that of the next member in rank order, cyclic, in
 * another rack. The rule is node-agent's {@code PeerChoice}. A checkpoint is safe there only if no pair shares a power
 * unit either (checkpoint-service's {@code SafetyRules}); here each rack has a power unit of its own, so a pair in two racks
 * is always safe.
 */
final class PeerCopies {

    private static final int NONE = -1;

    private final int[] members;
    private final int[] holders;

    private PeerCopies(int[] members, int[] holders) {
        this.members = members;
        this.holders = holders;
    }

    /** {@code members} are the nodes in rank order. */
    static PeerCopies of(int[] members, ClusterPlan cluster) {
        int[] holders = new int[members.length];
        for (int rank = 0; rank < members.length; rank++) {
            holders[rank] = NONE;
            for (int further = 1; further < members.length && holders[rank] == NONE; further++) {
                int other = members[(rank + further) % members.length];
                if (cluster.rackOf(other) != cluster.rackOf(members[rank])) {
                    holders[rank] = other;
                }
            }
        }
        return new PeerCopies(members.clone(), holders);
    }

    /** Every shard is still in one of its two memories, of which each was lost last at this time, or never (below 0). */
    boolean whole(long since, long[] memoryLostAt) {
        for (int rank = 0; rank < members.length; rank++) {
            if (holders[rank] == NONE
                    || (memoryLostAt[members[rank]] >= since && memoryLostAt[holders[rank]] >= since)) {
                return false;
            }
        }
        return true;
    }
}

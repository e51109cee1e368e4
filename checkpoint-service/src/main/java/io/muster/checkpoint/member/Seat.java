package io.muster.checkpoint.member;

/**
 * The place of a node in a gang. Ranks are counted node by node, equally many on each; a gang whose members do not
 * divide the ranks is not the one that runs them, and gives its nodes none.
 *
 * @param generation of the placement
 * @param nodeRank place among the members, from 0
 * @param members how many nodes the gang has
 */
public record Seat(int generation, int nodeRank, int members) {

    public Seat {
        if (nodeRank < 0 || nodeRank >= members) {
            throw new IllegalArgumentException("node rank " + nodeRank + " in a gang of " + members);
        }
    }

    public boolean runs(int rank, int worldSize) {
        return worldSize % members == 0 && first(worldSize) <= rank && rank <= last(worldSize);
    }

    /** In words, with the numbers they follow from. */
    public String ranks(int worldSize) {
        String place = "node rank " + nodeRank + " of " + members + " in generation " + generation;
        return worldSize % members == 0
                ? first(worldSize) + " to " + last(worldSize) + " (" + place + ")"
                : "none (" + place + ", which do not divide " + worldSize + " ranks)";
    }

    private int first(int worldSize) {
        return nodeRank * (worldSize / members);
    }

    private int last(int worldSize) {
        return first(worldSize) + worldSize / members - 1;
    }
}

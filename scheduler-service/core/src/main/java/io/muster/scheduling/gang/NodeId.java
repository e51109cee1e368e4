package io.muster.scheduling.gang;

/** A node's registered name. */
public record NodeId(String value) implements Comparable<NodeId> {

    public NodeId {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a node id is blank");
        }
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}

package io.muster.scheduling.gang;

import java.util.List;
import java.util.Locale;

/**
 * Levels of the topology, tightest first. A node belongs to exactly one domain of each type; domains of different types
 * need not be nested.
 */
public enum DomainType {
    NODE,
    RACK,
    POWER,
    POD,
    CLUSTER;

    private static final List<DomainType> ABOVE_NODE = List.of(RACK, POWER, POD, CLUSTER);

    /** The types above a node, tightest first. */
    public static List<DomainType> aboveNode() {
        return ABOVE_NODE;
    }

    /** For sentences: {@code rack}, {@code power domain}. */
    public String word() {
        return this == POWER ? "power domain" : name().toLowerCase(Locale.ROOT);
    }
}

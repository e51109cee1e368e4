package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.NodeId;

/** Where a node stands: its domain of each type above itself. Names are unique among the domains of one type. */
public record NodeDomains(String rack, String power, String pod, String cluster) {

    /** The name of the domain of this type; for NODE the node itself. */
    public String name(DomainType type, NodeId node) {
        return switch (type) {
            case NODE -> node.value();
            case RACK -> rack;
            case POWER -> power;
            case POD -> pod;
            case CLUSTER -> cluster;
        };
    }

    String above(DomainType type) {
        return switch (type) {
            case NODE -> throw new IllegalArgumentException("a node is not a domain above itself");
            case RACK -> rack;
            case POWER -> power;
            case POD -> pod;
            case CLUSTER -> cluster;
        };
    }
}

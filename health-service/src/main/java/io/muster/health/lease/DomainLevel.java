package io.muster.health.lease;

import io.muster.contract.node.NodeDomains;
import java.util.Locale;
import java.util.function.Function;

/** Levels at which nodes share a cause, smallest first. The cluster is none: losing all of it is losing our own hearing. */
public enum DomainLevel {
    RACK(NodeDomains::rack),
    POWER(NodeDomains::power),
    POD(NodeDomains::pod);

    private final Function<NodeDomains, String> name;

    DomainLevel(Function<NodeDomains, String> name) {
        this.name = name;
    }

    String nameIn(NodeDomains domains) {
        return name.apply(domains);
    }

    /** As holds and faults name it: {@code rack/r1}. */
    String target(String domain) {
        return name().toLowerCase(Locale.ROOT) + "/" + domain;
    }
}

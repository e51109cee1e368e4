package io.muster.contract.job;

/** At most {@code maxNodes} members of the gang in one domain of this type. */
public record Spread(DomainType domain, int maxNodes) {

    public Spread {
        if (maxNodes < 1) {
            throw new IllegalArgumentException("spread.maxNodes is " + maxNodes + "; at least 1 is needed");
        }
    }
}

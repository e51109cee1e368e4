package io.muster.scheduling.gang;

/** At most {@code maxNodes} members of the gang in one domain of this type. */
public record SpreadLimit(DomainType domain, int maxNodes) {

    public SpreadLimit {
        if (maxNodes < 1) {
            throw new IllegalArgumentException(
                    "a spread allows " + maxNodes + " nodes per " + domain.word() + "; at least 1 is needed");
        }
    }
}

package io.muster.scheduling.placement;

import io.muster.scheduling.gang.DomainType;

/** Over how many domains of a type a gang lies, and how many of its nodes the fullest of them has. */
public record SpreadReached(DomainType type, int domains, int mostNodes) {}

package io.muster.scheduler.allocation;

import io.muster.contract.placement.PlacementState;

/** An allocation's whole state and the sequence of its newest event. */
public record SequencedPlacement(long sequence, PlacementState placement) {}

package io.muster.scheduling.explain;

/**
 * The numbers of a wounded gang.
 *
 * @param replaceableNodes so many of the lost ones could be replaced now, all together
 * @param fittingSpareNodes spares that could be a replacement now
 */
public record RepairNumbers(int healthyNodes, int lostNodes, int replaceableNodes, int fittingSpareNodes) {}

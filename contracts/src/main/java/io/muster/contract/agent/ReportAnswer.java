package io.muster.contract.agent;

/**
 * @param currentRevision the newest revision for this node
 * @param staleIncarnation the agent belongs to another life of the cluster: it starts and stops nothing
 */
public record ReportAnswer(long currentRevision, boolean staleIncarnation) {}

package io.muster.contract.node;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.util.List;

/** A member's preflight as its agent tells health-service: its own checks and whom it reached. */
public record PreflightReport(
        JobId jobId,
        int attempt,
        long session,
        List<NodeId> members,
        List<CheckResult> checks,
        List<ProbeResult> pairs) {

    public PreflightReport {
        members = List.copyOf(members);
        checks = List.copyOf(checks);
        pairs = List.copyOf(pairs);
    }
}

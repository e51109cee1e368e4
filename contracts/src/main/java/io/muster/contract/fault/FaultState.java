package io.muster.contract.fault;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whole state of a fault, the data of every event on {@code muster.faults.v1}; health-service is its only writer. The
 * stream records and notifies: recovery reads the truth elsewhere and goes on without it.
 *
 * @param faultId the same through its whole life, fit to deduplicate pages by
 * @param incidentId shared by all faults of one cause
 * @param causedBy the fault that this one follows from; null if it is a root
 * @param code a stable code: a hold's cause such as LEASE_EXPIRED, RACK_LOST, POWER_LOST, POD_LOST, HEARTBEATS_LOST, a job's
 *     reason such as OUT_OF_MEMORY, or CHECKPOINT_CORRUPT
 * @param domain what failed: {@code node/r1-n2}, {@code gpu/r1-n2/3}, {@code rack/r1}, {@code power/w1}, {@code pod/p1},
 *     {@code control-plane}, {@code job/ID} or {@code checkpoint/ID}
 * @param nextStep what the next layer will do and when, as a sentence with numbers
 * @param firstSeenAt the last moment at which all was known to be well
 * @param detectedAt when health-service knew
 */
public record FaultState(
        String faultId,
        String incidentId,
        @Nullable String causedBy,
        FaultLayer layer,
        String code,
        String domain,
        FaultSeverity severity,
        FaultStatus status,
        String message,
        BlastRadius blastRadius,
        String nextStep,
        List<FaultAction> actions,
        List<FaultPhase> phases,
        Instant firstSeenAt,
        Instant detectedAt,
        @Nullable Instant resolvedAt) {
    public FaultState {
        actions = List.copyOf(actions);
        phases = List.copyOf(phases);
    }
}

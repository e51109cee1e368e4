package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.health.hold.HoldCause;

/**
 * What the next layer will do about a fault and when, as a sentence with numbers. The numbers are the defaults of the
 * services that act; each of them says its own in what it reports.
 */
final class NextStep {

    private static final int REPAIR_WAIT_SECONDS = 600;

    private NextStep() {}

    static String of(Fault fault) {
        if (!fault.open()) {
            return live(fault) == 0
                    ? "nothing more: the fault is over"
                    : "the cause is over; " + gangs(live(fault)) + " still on the way back to " + "its first step";
        }
        return switch (fault.layer()) {
            case PROCESS -> process(fault);
            case NODE -> node(fault);
            case DOMAIN ->
                "the scheduler replaces " + nodes(fault) + " of " + gangs(live(fault)) + ", spares first, outside of "
                        + fault.domain() + "; a gang without replacement after " + REPAIR_WAIT_SECONDS
                        + " s is requeued whole, ahead of its peers; each node comes back when it has registered and"
                        + " passed its checks";
            case CONTROL_PLANE ->
                "nothing is held and no rank is stopped while this lasts; living nodes are asked to reach the "
                        + fault.nodes().size() + " silent ones, and only those out of reach are lost";
            case CHECKPOINT ->
                "the next older committed checkpoint is restored, after every shard of it has been verified on all"
                        + " nodes; the damaged one is kept and never offered again";
        };
    }

    private static String process(Fault fault) {
        int next = fault.jobs().stream().mapToInt(TouchedJob::attempt).max().orElse(0) + 1;
        if (fault.causedBy() != null) {
            return "nothing of its own: it follows from " + fault.causedBy() + " and is over with attempt " + next;
        }
        return "job-service starts attempt " + next + " of all ranks in place, on the same nodes; it counts against"
                + " faultTolerance.userRestarts (0 unless the job says otherwise) if the program is to blame, else"
                + " against platformRestarts (20); with none left the job is FAILED";
    }

    private static String node(Fault fault) {
        if (fault.code().equals(HoldCause.LEASE_EXPIRED.name())) {
            String back = "the node comes back when it has registered and passed its checks";
            return live(fault) == 0
                    ? "no gang is on it; " + back
                    : "the scheduler replaces 1 node of " + gangs(live(fault)) + ", spares first; without one after "
                            + REPAIR_WAIT_SECONDS + " s the gang is requeued whole, ahead of its peers; " + back;
        }
        if (fault.code().equals(HoldCause.FLAPPING.name())) {
            return "a person looks at the node and lifts the hold with POST /api/v1/nodes/"
                    + fault.nodes().getFirst() + "/uncordon; checks do not lift it";
        }
        return "no new work goes there, what runs goes on; the hold goes when all required checks of the node pass";
    }

    private static long live(Fault fault) {
        return fault.jobs().stream().filter(TouchedJob::live).count();
    }

    private static String nodes(Fault fault) {
        return fault.nodes().size() + (fault.nodes().size() == 1 ? " node" : " nodes");
    }

    private static String gangs(long count) {
        return count + (count == 1 ? " gang" : " gangs");
    }

    static boolean wounds(FaultLayer layer) {
        return layer == FaultLayer.NODE || layer == FaultLayer.DOMAIN;
    }
}

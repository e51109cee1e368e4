package io.muster.health.lease;

import java.time.Instant;

/** Keeps the story of incidents of the control plane; called inside a transaction. */
public interface IncidentJournal {

    void opened(LeaseVerdict.IncidentOpened incident, Instant wellUntil, Instant now);

    void closed(LeaseVerdict.IncidentClosed incident, Instant now);

    /** Another judge has begun: all leases were restarted, and what it was in doubt about is looked at anew. */
    void abandoned(Instant now);

    /** Whether one is open, as it is written. */
    boolean open();
}

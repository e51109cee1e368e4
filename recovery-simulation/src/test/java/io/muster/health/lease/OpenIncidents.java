package io.muster.health.lease;

import java.time.Instant;

/** Keeps of the incidents' story only whether one is open. */
public final class OpenIncidents implements IncidentJournal {

    private boolean open;

    @Override
    public void opened(LeaseVerdict.IncidentOpened incident, Instant wellUntil, Instant now) {
        open = true;
    }

    @Override
    public void closed(LeaseVerdict.IncidentClosed incident, Instant now) {
        open = false;
    }

    @Override
    public void abandoned(Instant now) {
        open = false;
    }

    @Override
    public boolean open() {
        return open;
    }
}

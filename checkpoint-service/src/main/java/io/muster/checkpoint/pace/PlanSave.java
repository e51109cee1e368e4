package io.muster.checkpoint.pace;

import io.muster.contract.checkpoint.SavePlan;
import io.muster.contract.id.JobId;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Tells members at which step all save next, and plans the one after when they have reached it. */
@Service
class PlanSave {

    private static final Logger LOG = LoggerFactory.getLogger(PlanSave.class);

    private final PaceRepository paces;
    private final Clock clock;

    PlanSave(PaceRepository paces, Clock clock) {
        this.paces = paces;
        this.clock = clock;
    }

    @Transactional
    SavePlan next(JobId job, int attempt, long step, Duration interval) {
        Optional<SavePlan> known = known(job, attempt, step);
        if (known.isPresent()) {
            return known.get();
        }
        paces.lock(job);
        // another member may have asked while this one waited for the lock
        return known(job, attempt, step).orElseGet(() -> plan(job, attempt, step, interval));
    }

    /** Touches the row of the pace only when no lock is asked for after it: two members can never wait for each other. */
    private Optional<SavePlan> known(JobId job, int attempt, long step) {
        Optional<SavePlan> known = paces.plannedAfter(job, attempt, step).map(SavePlan::new);
        known.ifPresent(plan -> paces.raiseHighest(job, attempt, step));
        return known;
    }

    private SavePlan plan(JobId job, int attempt, long step, Duration interval) {
        Pace pace = SavePlanner.next(paces.pace(job, attempt).orElse(null), step, interval, clock.instant());
        paces.plan(job, attempt, pace);
        LOG.info("save planned job={} attempt={} step={} at step {}", job, attempt, pace.plannedStep(), step);
        return new SavePlan(pace.plannedStep());
    }
}

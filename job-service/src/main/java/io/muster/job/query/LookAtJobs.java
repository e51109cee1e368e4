package io.muster.job.query;

import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.scheduling.Explanation;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.job.lifecycle.CancelJob;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobReader;
import io.muster.job.lifecycle.JobWriter;
import io.muster.job.lifecycle.TimelineEntry;
import io.muster.job.lifecycle.WasteRecords;
import io.muster.job.neighbour.Scheduler;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows jobs to the people who may see them, and cancels them for those who may. Who sees all tenants is decided by the
 * role; everyone else's tenant is part of every query, so another tenant's job is not found rather than forbidden.
 */
@Component
public class LookAtJobs {

    /** A job and the tag under which it is cached. */
    public record Tagged(JobView job, String tag) {}

    private final JobReader jobs;
    private final JobListing listing;
    private final CancelJob cancel;
    private final Scheduler scheduler;
    private final JobWriter writer;
    private final WasteRecords waste;
    private final JsonMapper json = JsonMapper.builder().build();

    LookAtJobs(
            JobReader jobs,
            JobListing listing,
            CancelJob cancel,
            Scheduler scheduler,
            JobWriter writer,
            WasteRecords waste) {
        this.jobs = jobs;
        this.listing = listing;
        this.cancel = cancel;
        this.scheduler = scheduler;
        this.writer = writer;
        this.waste = waste;
    }

    Looked<Page<JobSummary>> list(UserCaller caller, JobFilter.Outcome wanted, @Nullable String pageToken) {
        return switch (wanted) {
            case JobFilter.Accepted accepted ->
                new Looked.Seen<>(listing.page(scope(caller), accepted.filter(), pageToken));
            case JobFilter.Refused refused -> new Looked.Refused<>(JobProblems.badQuery(refused.violations()));
        };
    }

    Looked<Tagged> job(UserCaller caller, String id) {
        return seen(caller, id, this::tagged);
    }

    Looked<List<TimelineEntry>> timeline(UserCaller caller, String id) {
        return seen(caller, id, shown -> jobs.timeline(shown.job().id()));
    }

    Looked<List<AttemptView>> attempts(UserCaller caller, String id) {
        return seen(
                caller,
                id,
                shown -> jobs.attempts(shown.job().id()).stream()
                        .map(AttemptView::of)
                        .toList());
    }

    Looked<WasteView> waste(UserCaller caller, String id) {
        return seen(caller, id, shown -> {
            JobId job = shown.job().id();
            Instant now = writer.now();
            return WasteView.of(job, now, waste.ledger(job, now));
        });
    }

    Looked<Explanation> explanation(UserCaller caller, String id) {
        return seen(caller, id, shown -> explain(shown.job()));
    }

    Looked<Job> plain(UserCaller caller, String id) {
        return seen(caller, id, JobReader.Shown::job);
    }

    /** Accepted also when there is nothing left to cancel: repeating is harmless. */
    Looked<Tagged> cancel(UserCaller caller, String id) {
        Looked<Job> found = plain(caller, id);
        return switch (found) {
            case Looked.Refused<Job> refused -> new Looked.Refused<>(refused.problem());
            case Looked.Seen<Job> seen
            when !mayChange(caller, seen.value()) -> new Looked.Refused<>(JobProblems.mayNotChange());
            case Looked.Seen<Job> seen -> {
                cancel.cancel(seen.value().id());
                yield job(caller, id);
            }
        };
    }

    /** The job as its submitter sees it right after the submission. */
    public Tagged submitted(JobId id, TenantId tenant) {
        return tagged(jobs.find(id, tenant).orElseThrow());
    }

    private Tagged tagged(JobReader.Shown shown) {
        return new Tagged(JobView.of(shown, json.readTree(shown.submittedSpec())), "\"" + shown.version() + "\"");
    }

    private <T> Looked<T> seen(UserCaller caller, String id, Function<JobReader.Shown, T> view) {
        JobId job;
        try {
            job = new JobId(id);
        } catch (IllegalArgumentException notAnId) {
            return new Looked.Refused<>(JobProblems.notFound(id));
        }
        return jobs.find(job, scope(caller))
                .<Looked<T>>map(shown -> new Looked.Seen<>(view.apply(shown)))
                .orElseGet(() -> new Looked.Refused<>(JobProblems.notFound(id)));
    }

    private Explanation explain(Job job) {
        if (job.phase() == JobPhase.QUEUED) {
            return Explanations.queued(job, scheduler.explanation(job.id()), writer.now());
        }
        return job.waitsForRepair()
                ? Explanations.wounded(job, scheduler.explanation(job.id()), writer.now())
                : Explanations.notWaiting(job, writer.now());
    }

    static boolean mayLookAt(UserCaller caller, TenantId tenant) {
        return caller.seesAllTenants() || caller.tenant().equals(tenant);
    }

    private static @Nullable TenantId scope(UserCaller caller) {
        return caller.seesAllTenants() ? null : caller.tenant();
    }

    private static boolean mayChange(UserCaller caller, Job job) {
        return caller.role() == Role.ADMIN
                || caller.maySubmit()
                        && caller.tenant().equals(job.head().tenant())
                        && caller.mayUse(job.head().project());
    }
}

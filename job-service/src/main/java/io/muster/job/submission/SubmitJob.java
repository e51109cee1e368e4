package io.muster.job.submission;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaTree;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.contract.scheduling.FeasibilityVerdict;
import io.muster.edge.identity.UserCaller;
import io.muster.job.neighbour.Answer;
import io.muster.job.neighbour.Scheduler;
import io.muster.job.queue.QueueChoice;
import io.muster.job.queue.QuotaView;
import io.muster.job.spec.JobSpec;
import io.muster.job.spec.SpecReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

/**
 * Takes in a job. First everything that is wrong with it is said at once; then, if the spec stands, the scheduler is
 * asked whether it could ever run. Only a clear "never" refuses it: a scheduler that is away must not stop people from
 * submitting, and the job is judged later. Storing is the last step and one transaction.
 */
@Component
class SubmitJob {

    sealed interface Outcome {}

    record Stored(StoredAnswer answer) implements Outcome {}

    record Checked(DryRun report) implements Outcome {}

    record Refused(Problem problem) implements Outcome {}

    private final QuotaView quota;
    private final Scheduler scheduler;
    private final StoreSubmission store;
    private final IdempotencyStore idempotency;

    SubmitJob(QuotaView quota, Scheduler scheduler, StoreSubmission store, IdempotencyStore idempotency) {
        this.quota = quota;
        this.scheduler = scheduler;
        this.store = store;
        this.idempotency = idempotency;
    }

    Outcome submit(UserCaller caller, JsonNode body, @Nullable String key, boolean dryRun) {
        if (!caller.maySubmit()) {
            return new Refused(SubmissionProblems.mayNotSubmit(caller.role()));
        }
        if (key != null && !IdempotencyKey.isOne(key)) {
            return new Refused(SubmissionProblems.badKey(key));
        }
        IdempotencyKey guard = key == null || dryRun ? null : IdempotencyKey.of(caller.tenant(), key, body);
        Optional<Outcome> before =
                guard == null ? Optional.empty() : idempotency.find(guard).map(SubmitJob::replayed);
        return before.orElseGet(() -> judged(caller, body, guard, dryRun));
    }

    static Outcome replayed(IdempotencyStore.Earlier earlier) {
        return switch (earlier) {
            case IdempotencyStore.Same(StoredAnswer answer) -> new Stored(answer);
            case IdempotencyStore.Different(String key) -> new Refused(SubmissionProblems.keyReused(key));
        };
    }

    private Outcome judged(UserCaller caller, JsonNode body, @Nullable IdempotencyKey guard, boolean dryRun) {
        return switch (SpecReader.read(body)) {
            case SpecReader.Refused refused -> new Refused(SubmissionProblems.invalid(refused.violations()));
            case SpecReader.Accepted accepted -> settled(caller, accepted.spec(), body, guard, dryRun);
        };
    }

    /** Project and queue. */
    private Outcome settled(
            UserCaller caller, JobSpec spec, JsonNode body, @Nullable IdempotencyKey guard, boolean dryRun) {
        QuotaTree tree = quota.tree().orElse(null);
        if (tree == null) {
            return new Refused(SubmissionProblems.noQuotaTree());
        }
        List<Violation> violations = new ArrayList<>();
        ProjectId project = switch (ProjectChoice.choose(caller, spec.project(), tree)) {
            case ProjectChoice.Chosen chosen -> chosen.project();
            case ProjectChoice.Refused refused -> {
                violations.add(refused.violation());
                yield null;
            }
        };
        QueuePath queue = project == null ? null : queue(caller, spec, project, tree, violations);
        if (project == null || queue == null) {
            return new Refused(SubmissionProblems.invalid(violations));
        }
        return weighed(caller, spec.in(project, queue), new Placeable(project, queue), body, guard, dryRun);
    }

    private record Placeable(ProjectId project, QueuePath queue) {}

    private static @Nullable QueuePath queue(
            UserCaller caller, JobSpec spec, ProjectId project, QuotaTree tree, List<Violation> violations) {
        return switch (QueueChoice.choose(tree, caller.tenant(), project, spec.queue())) {
            case QueueChoice.Chosen chosen -> chosen.queue();
            case QueueChoice.Refused refused -> {
                violations.add(refused.violation());
                yield null;
            }
        };
    }

    private Outcome weighed(
            UserCaller caller,
            JobSpec spec,
            Placeable place,
            JsonNode body,
            @Nullable IdempotencyKey guard,
            boolean dryRun) {
        Answer<FeasibilityAnswer> answer = scheduler.feasibility(new FeasibilityRequest(
                caller.tenant(), place.project(), place.queue(), spec.priority().level(), spec.gang()));
        FeasibilityAnswer feasibility = answer instanceof Answer.Given<FeasibilityAnswer>(FeasibilityAnswer given)
                ? given
                : new FeasibilityAnswer(FeasibilityVerdict.UNKNOWN, null);
        List<String> warnings = Warnings.of(spec, feasibility);
        boolean never = feasibility.verdict() == FeasibilityVerdict.NEVER_FITS;
        if (dryRun) {
            return new Checked(DryRun.of(
                    spec, warnings, feasibility, store.liveJobNamed(caller.tenant(), place.project(), spec.name())));
        }
        if (never) {
            Explanation why = feasibility.explanation();
            return new Refused(SubmissionProblems.neverFits(spec, why));
        }
        Submission submission =
                new Submission(caller.tenant(), place.project(), place.queue(), spec, body.toString(), warnings);
        return store.store(submission, guard);
    }
}

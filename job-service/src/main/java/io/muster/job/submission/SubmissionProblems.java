package io.muster.job.submission;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.contract.scheduling.Explanation;
import io.muster.edge.identity.Role;
import io.muster.job.query.JobView;
import io.muster.job.spec.JobSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Why a submission is refused. */
final class SubmissionProblems {

    private SubmissionProblems() {}

    static Problem invalid(List<Violation> violations) {
        String detail = violations.size() == 1
                ? violations.getFirst().message()
                : violations.size() + " things are wrong with the job spec, the first: "
                        + violations.getFirst().message();
        return Problem.of(
                        400,
                        "INVALID_SPEC",
                        "The job spec cannot be accepted",
                        detail,
                        "Each is in violations with its place and what is allowed; docs/job-spec.md has every field.")
                .with(violations);
    }

    static Problem mayNotSubmit(Role role) {
        return Problem.of(
                403,
                "FORBIDDEN",
                "Not with this key",
                "A key of role " + role + " cannot submit jobs.",
                "Use a key of role ENGINEER or ADMIN.");
    }

    static Problem badKey(String key) {
        return Problem.of(
                        400,
                        "INVALID_IDEMPOTENCY_KEY",
                        "The idempotency key cannot be used",
                        "Idempotency-Key has " + key.length()
                                + " characters, or holds spaces or other than ASCII characters.",
                        "Use 1 to 128 visible ASCII characters, such as a UUID.")
                .with(List.of(new Violation(
                        "/headers/Idempotency-Key", "not a usable key", null, "1 to 128 visible ASCII characters")));
    }

    static Problem keyReused(String key) {
        return Problem.of(
                422,
                "IDEMPOTENCY_KEY_REUSED",
                "This idempotency key was used for another job",
                "Idempotency-Key '" + key + "' came with a different job spec in the last 24 hours.",
                "Use a new key for a new job; repeat a submission with exactly the same body.");
    }

    static Problem nameTaken(String name, ProjectId project, Optional<JobId> job) {
        String link = job.map(id -> " See " + JobView.path(id) + ".").orElse("");
        return Problem.of(
                        409,
                        "NAME_TAKEN",
                        "A live job has this name",
                        "Project '" + project + "' has a live job named '" + name + "'." + link,
                        "Choose another name, or cancel that job first.")
                .with(List.of(new Violation(
                        "/name",
                        "name is taken by a live job"
                                + job.map(id -> ": " + JobView.path(id)).orElse(""),
                        name,
                        "a name that no live job of the project has")));
    }

    static Problem noQuotaTree() {
        return Problem.of(
                503,
                "QUOTA_TREE_UNKNOWN",
                "Queues are not known yet",
                "job-service has not heard of the quota tree since it was set up, so no queue can be chosen.",
                "Try again in a few seconds; if it stays so, quota-service or the broker is down.");
    }

    static Problem neverFits(JobSpec spec, @Nullable Explanation why) {
        String asked = spec.gang().nodes() + " nodes with " + spec.gang().gpusPerNode() + " GPUs each";
        if (why == null) {
            return Problem.of(
                    422,
                    "NEVER_FITS",
                    "This job can never run here",
                    "The cluster can never give " + asked + ".",
                    "Ask for fewer nodes or GPUs.");
        }
        String numbers = why.numbers().entrySet().stream()
                .map(number -> number.getKey() + "=" + number.getValue())
                .collect(Collectors.joining(", "));
        return Problem.of(
                        422,
                        "NEVER_FITS",
                        "This job can never run here",
                        why.sentence() + (numbers.isEmpty() ? "" : " (" + numbers + ")"),
                        why.hint())
                .with(List.of(new Violation("/resources", why.reason() + ": " + why.sentence(), asked, why.hint())));
    }
}

package io.muster.job.query;

import io.muster.contract.id.JobId;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.ProblemException;
import io.muster.job.lifecycle.AttemptStage;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobReader;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Sends a rank's log. Following holds one virtual thread and no database connection; their number is bounded, so that
 * people who watch logs cannot keep others from submitting or cancelling.
 */
@Component
class ReadLog {

    /** @param attempt null: the newest */
    record Wanted(
            @Nullable Integer attempt,
            int rank,
            boolean follow,
            @Nullable Integer tail) {

        Optional<Violation> wrong() {
            if (attempt != null && attempt < 1) {
                return Optional.of(new Violation(
                        "/attempt", "attempt is " + attempt + "; the first is 1", attempt.toString(), "1 and up"));
            }
            if (rank < 0) {
                return Optional.of(
                        new Violation("/rank", "rank is " + rank + "; the first is 0", rank + "", "0 and up"));
            }
            if (tail != null && (tail < 1 || tail > 100_000)) {
                return Optional.of(new Violation(
                        "/tail", "tail is " + tail + "; 1 to 100000 are allowed", tail.toString(), "1 to 100000"));
            }
            return Optional.empty();
        }
    }

    static final int MOST_FOLLOWERS = 256;

    private final LookAtJobs jobs;
    private final JobReader reader;
    private final JobLogs logs;
    private final Semaphore followers = new Semaphore(MOST_FOLLOWERS);

    ReadLog(LookAtJobs jobs, JobReader reader, JobLogs logs) {
        this.jobs = jobs;
        this.reader = reader;
        this.logs = logs;
    }

    /** Refusals are thrown: the answer is written straight to the wire, so there is no value to return them in. */
    void read(UserCaller caller, String id, Wanted wanted, HttpServletResponse response) throws IOException {
        wanted.wrong().ifPresent(violation -> refuse(JobProblems.badQuery(List.of(violation))));
        Job job = switch (jobs.plain(caller, id)) {
            case Looked.Seen<Job> seen -> seen.value();
            case Looked.Refused<Job> refused -> throw new ProblemException(refused.problem());
        };
        if (!wanted.follow()) {
            Path log = find(job, wanted)
                    .orElseThrow(() ->
                            new ProblemException(JobProblems.noLog(job.phase(), attempt(job, wanted), wanted.rank())));
            logs.copy(log, start(log, wanted), out(response));
        } else if (followers.tryAcquire()) {
            try {
                follow(job, wanted, response);
            } finally {
                followers.release();
            }
        } else {
            refuse(JobProblems.tooManyFollowers(MOST_FOLLOWERS));
        }
    }

    private void follow(Job job, Wanted wanted, HttpServletResponse response) throws IOException {
        OutputStream out = out(response);
        out.flush();
        response.flushBuffer();
        Job now = job;
        Optional<Path> log = find(now, wanted);
        while (log.isEmpty()) {
            if (over(now.id(), attempt(now, wanted)) || !JobLogs.pause()) {
                return;
            }
            now = reload(now);
            log = find(now, wanted);
        }
        int attempt = attempt(now, wanted);
        JobId id = now.id();
        logs.follow(log.get(), start(log.get(), wanted), out, () -> over(id, attempt));
    }

    private Optional<Path> find(Job job, Wanted wanted) throws IOException {
        int attempt = attempt(job, wanted);
        return attempt == 0 ? Optional.empty() : logs.find(job.head().tenant(), job.id(), attempt, wanted.rank());
    }

    private long start(Path log, Wanted wanted) throws IOException {
        return wanted.tail() == null ? 0 : logs.tailPosition(log, wanted.tail());
    }

    /** The attempt, or with none begun the job, writes nothing any more. */
    private boolean over(JobId id, int attempt) {
        Job job = reader.find(id, null).map(JobReader.Shown::job).orElse(null);
        if (job == null || job.phase().ended()) {
            return true;
        }
        return attempt > 0
                && job.attempt() != null
                && (job.attempt().number() > attempt
                        || job.attempt().number() == attempt && job.attempt().stage() == AttemptStage.ENDED);
    }

    private Job reload(Job job) {
        return reader.find(job.id(), null).map(JobReader.Shown::job).orElse(job);
    }

    private static int attempt(Job job, Wanted wanted) {
        if (wanted.attempt() != null) {
            return wanted.attempt();
        }
        return job.attempt() == null ? 0 : job.attempt().number();
    }

    private static OutputStream out(HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        return response.getOutputStream();
    }

    private static void refuse(Problem problem) {
        throw new ProblemException(problem);
    }
}

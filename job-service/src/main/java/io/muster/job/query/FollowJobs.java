package io.muster.job.query;

import io.muster.contract.job.JobPhase;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.ProblemException;
import io.muster.edge.stream.ChangeFeed;
import io.muster.edge.stream.Event;
import io.muster.edge.stream.EventStream;
import io.muster.edge.stream.Listed;
import io.muster.edge.stream.Resume;
import io.muster.edge.stream.Streams;
import io.muster.job.lifecycle.JobFeeds;
import io.muster.job.query.LookAtJobs.Tagged;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Streams jobs to the people who may see them. A list tells of each job in its scope as the list shows it: {@code job}, or
 * {@code left} when its state is none of those asked for. A single job is told as its own path shows it, until it has
 * ended.
 */
@Component
class FollowJobs {

    private final LookAtJobs jobs;
    private final Streams streams;
    private final ChangeFeed<JobSummary> listed;
    private final ChangeFeed<String> shown;

    FollowJobs(LookAtJobs jobs, Streams streams, ChangeFeed<JobSummary> listedJobs, ChangeFeed<String> shownJobs) {
        this.jobs = jobs;
        this.streams = streams;
        this.listed = listedJobs;
        this.shown = shownJobs;
    }

    /** Refusals are thrown: the answer is written straight to the wire, so there is no value to return them in. */
    void list(UserCaller caller, JobFilter.Outcome wanted, @Nullable String lastEventId, HttpServletResponse response)
            throws IOException {
        JobFilter filter = switch (wanted) {
            case JobFilter.Accepted accepted -> accepted.filter();
            case JobFilter.Refused refused -> throw new ProblemException(JobProblems.badQuery(refused.violations()));
        };
        streams.list(caller, response, lastEventId, listed, new JobsOf(caller, filter));
    }

    private final class JobsOf implements Listed<JobSummary> {

        private final UserCaller caller;
        private final JobFilter filter;

        JobsOf(UserCaller caller, JobFilter filter) {
            this.caller = caller;
            this.filter = filter;
        }

        /** The newest page, the newest last, so that the order is that of what follows. */
        @Override
        public List<Event> now() {
            return seen(jobs.list(caller, new JobFilter.Accepted(filter), null)).items().reversed().stream()
                    .map(job -> new Event("job", job))
                    .toList();
        }

        @Override
        public Optional<Event> of(JobSummary job) {
            if (!LookAtJobs.mayLookAt(caller, job.tenant()) || !filter.isAbout(job)) {
                return Optional.empty();
            }
            return Optional.of(new Event(filter.wants(job.state()) ? "job" : "left", job));
        }
    }

    /** The number is read before the job, so a change in between is told twice rather than never. */
    void job(UserCaller caller, String id, @Nullable String lastEventId, HttpServletResponse response)
            throws IOException {
        streams.serve(caller, response, () -> {
            Resume resume = streams.resume(lastEventId);
            long head = streams.headOf(shown);
            long number = streams.numberOf(JobFeeds.SHOWN, id);
            JobView now = view(caller, id);
            boolean over = now.state().ended();
            return resume instanceof Resume.After(long last, boolean ended) && over && ended
                    ? Optional.empty()
                    : Optional.of(out -> {
                        if (resume instanceof Resume.Reset reset) {
                            out.state(Streams.reset(reset));
                        }
                        boolean known = resume instanceof Resume.After(long last, boolean ended) && last >= number;
                        if (over || !known) {
                            out.change(number, new Event("job", now));
                        }
                        if (over) {
                            end(out, number, now.state());
                            return;
                        }
                        out.follow(
                                shown,
                                head,
                                change -> change.number() <= number
                                        || !change.key().equals(id)
                                        || goesOn(out, change.number(), view(caller, id)));
                    });
        });
    }

    private static boolean goesOn(EventStream out, long number, JobView now) throws IOException {
        out.change(number, new Event("job", now));
        if (now.state().ended()) {
            end(out, number, now.state());
            return false;
        }
        return true;
    }

    private static void end(EventStream out, long number, JobPhase state) throws IOException {
        out.ended(number, "The job is " + state + "; nothing more will happen to it.");
    }

    private JobView view(UserCaller caller, String id) {
        Tagged found = seen(jobs.job(caller, id));
        return found.job();
    }

    private static <T> T seen(Looked<T> looked) {
        return switch (looked) {
            case Looked.Seen<T>(T value) -> value;
            case Looked.Refused<T> refused -> throw new ProblemException(refused.problem());
        };
    }
}

package io.muster.job.lifecycle;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import io.muster.edge.stream.ChangeMarks;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * The one writer of jobs. A change locks the job's row, lets a pure decision make the next state, and stores state,
 * timeline, desired revisions, the marks for streams and event in one transaction. A decision that changes nothing writes nothing; one that
 * changes nothing which others can see sends no event.
 */
@Component
public class JobWriter {

    private static final Logger log = LoggerFactory.getLogger(JobWriter.class);

    private final JobStore jobs;
    private final TimelineStore timeline;
    private final DesiredStore desired;
    private final StartLimits limits;
    private final RepairWait repairWait;
    private final Shunning shunning;
    private final Outbox outbox;
    private final ChangeMarks changes;
    private final Clock clock;
    private final ApplicationEventPublisher committed;

    JobWriter(
            JobStore jobs,
            TimelineStore timeline,
            DesiredStore desired,
            StartLimits limits,
            RepairWait repairWait,
            Shunning shunning,
            Outbox outbox,
            ChangeMarks changes,
            Clock clock,
            ApplicationEventPublisher committed) {
        this.jobs = jobs;
        this.timeline = timeline;
        this.desired = desired;
        this.limits = limits;
        this.repairWait = repairWait;
        this.shunning = shunning;
        this.outbox = outbox;
        this.changes = changes;
        this.clock = clock;
        this.committed = committed;
    }

    /** Joins the transaction of the submission; fails on the unique index if a live job has the name. */
    @Transactional
    public void create(Job job, String submittedSpec, String labels) {
        jobs.insert(job, submittedSpec, labels);
        timeline.begin(job);
        changes.mark(JobFeeds.SHOWN, job.id().value());
        changes.mark(JobFeeds.LISTED, job.id().value());
        send(EventType.JOB_SUBMITTED, JobStates.of(job), 1);
        log.info(
                "job submitted job={} tenant={} queue={}",
                job.id(),
                job.head().tenant(),
                job.head().queue());
    }

    /** Empty if there is no such job. */
    @Transactional
    public Optional<Job> change(JobId id, BiFunction<Job, Instant, Job> decision) {
        Optional<JobStore.Stored> stored = jobs.lock(id);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        Job before = stored.get().job();
        Instant now = now();
        Job after = decision.apply(before, now);
        return Optional.of(after.equals(before) ? after : write(stored.get(), after, now));
    }

    /** The time as it is stored. */
    public Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    /** When the job must be looked at again though nothing has been reported; null if never. */
    @Nullable
    Instant nextLook(Job job, Instant now) {
        Instant limit = AttemptDecisions.earlier(limits.end(job), repairWait.end(job));
        Instant bound = AttemptDecisions.earlier(limit, shunning.end(job));
        return AttemptDecisions.earlier(AttemptDecisions.nextLook(job, now), bound);
    }

    private Job write(JobStore.Stored stored, Job decided, Instant now) {
        Job before = stored.job();
        List<NodeId> asked = EvidenceBarrier.opened(before, decided);
        List<NodeId> touched = Stream.concat(GangTasks.touched(before, decided).stream(), asked.stream())
                .distinct()
                .sorted()
                .toList();
        Map<NodeId, Long> revisions = desired.raise(touched);
        Job after = asked.isEmpty() ? decided : EvidenceBarrier.asked(decided, revisions);
        JobState was = JobStates.of(before);
        JobState is = JobStates.of(after);
        long sequence = was.equals(is) ? stored.sequence() : stored.sequence() + 1;
        Instant wakeAt = nextLook(after, now);
        jobs.update(before, after, sequence, wakeAt, JobStates.endedAt(after));
        timeline.change(before, after, now);
        mark(before, after);
        if (sequence != stored.sequence()) {
            send(JobStates.typeOf(was, is), is, sequence);
        }
        committed.publishEvent(new JobChanged(before, after, touched, wakeAt != null && !wakeAt.isAfter(now)));
        if (before.phase() != after.phase()) {
            log.info(
                    "job moved job={} from={} to={} reason={} attempt={} generation={}",
                    after.id(),
                    before.phase(),
                    after.phase(),
                    after.status().reason(),
                    is.attempt(),
                    is.generation());
        }
        return after;
    }

    private void mark(Job before, Job after) {
        changes.mark(JobFeeds.SHOWN, after.id().value());
        if (!before.status().equals(after.status()) || number(before) != number(after)) {
            changes.mark(JobFeeds.LISTED, after.id().value());
        }
    }

    private static int number(Job job) {
        return job.attempt() == null ? 0 : job.attempt().number();
    }

    private void send(EventType type, JobState state, long sequence) {
        String id = state.jobId().value();
        outbox.append(new OutgoingEvent(Topics.JOBS, id, type.type(), "job/" + id, sequence, state));
    }
}

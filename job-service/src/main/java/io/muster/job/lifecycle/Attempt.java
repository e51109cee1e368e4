package io.muster.job.lifecycle;

import io.muster.contract.agent.Rendezvous;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.job.DomainType;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One start of a job on one generation of its placement. What changes together is kept together: how far it has been
 * led, how it ends, and how far it has trained.
 *
 * @param members in node-rank order
 */
public record Attempt(
        int number,
        Place place,
        Course course,
        Outcome outcome,
        @Nullable RestoreDecision restore,
        @Nullable Rendezvous rendezvous,
        Training training,
        List<Member> members) {

    public Attempt {
        members = List.copyOf(members);
    }

    /** Where it runs. */
    public record Place(int generation, DomainType level, String domain) {}

    /**
     * @param stageSince when its present stage began: the limits of preflight and start count from here
     * @param firstBadExitAt when the first bad exit was seen: evidence of every member is awaited from here
     * @param evidenceSince from when the longest wait for evidence counts: the first bad exit, or the last moment at
     *     which health-service could not tell silent nodes from lost ones
     * @param decidedAt when it was first decided that it ends: the wait for a repair counts from here
     */
    public record Course(
            AttemptStage stage,
            Instant startedAt,
            Instant stageSince,
            @Nullable Instant runningAt,
            @Nullable Instant firstBadExitAt,
            @Nullable Instant evidenceSince,
            @Nullable Instant decidedAt,
            @Nullable Instant endedAt) {

        Course at(AttemptStage newStage, Instant now) {
            return new Course(newStage, startedAt, now, runningAt, firstBadExitAt, evidenceSince, decidedAt, endedAt);
        }

        Course running(Instant now) {
            return new Course(stage, startedAt, stageSince, now, firstBadExitAt, evidenceSince, decidedAt, endedAt);
        }

        /** The first bad exit stays where it was. */
        Course awaitingEvidence(Instant now) {
            Instant first = firstBadExitAt == null ? now : firstBadExitAt;
            return new Course(stage, startedAt, stageSince, runningAt, first, now, decidedAt, endedAt);
        }

        Course stopping(Instant now) {
            Instant first = decidedAt == null ? now : decidedAt;
            return new Course(
                    AttemptStage.STOPPING, startedAt, now, runningAt, firstBadExitAt, evidenceSince, first, endedAt);
        }

        Course ended(Instant now) {
            return new Course(
                    AttemptStage.ENDED, startedAt, now, runningAt, firstBadExitAt, evidenceSince, decidedAt, now);
        }
    }

    /**
     * @param ending what follows once all is gone; null while that is open
     * @param verdictPending health-service has yet to say whom it blames for a failed preflight
     */
    public record Outcome(@Nullable Ending ending, boolean verdictPending) {

        static final Outcome OPEN = new Outcome(null, false);
    }

    /**
     * @param step the newest that this attempt has reported; null before its first
     * @param firstStepAt when it was first seen to have trained a step of its own
     * @param stallMillis for how long checkpoints have kept its training waiting so far
     */
    public record Training(@Nullable Long step, @Nullable Instant firstStepAt, long stallMillis) {

        static final Training NONE = new Training(null, null, 0);
    }

    static Attempt begun(int number, Place place, List<Member> members, Instant now) {
        Course course = new Course(AttemptStage.AWAITING_RESTORE, now, now, null, null, null, null, null);
        return new Attempt(number, place, course, Outcome.OPEN, null, null, Training.NONE, members);
    }

    public int generation() {
        return place.generation;
    }

    public AttemptStage stage() {
        return course.stage;
    }

    public @Nullable Ending ending() {
        return outcome.ending;
    }

    boolean verdictPending() {
        return outcome.verdictPending;
    }

    @Nullable
    Instant firstBadExitAt() {
        return course.firstBadExitAt;
    }

    public @Nullable Instant endedAt() {
        return course.endedAt;
    }

    @Nullable
    Long step() {
        return training.step;
    }

    boolean over() {
        return course.stage == AttemptStage.ENDED;
    }

    /** What follows once all is gone, if that is decided, is this. */
    boolean leadsTo(Ending.Follow follow) {
        return outcome.ending != null && outcome.ending.follow() == follow;
    }

    boolean allReleased() {
        return members.stream().allMatch(Member::released);
    }

    /** The step that it started from: 0 = from the beginning. */
    long firstStep() {
        return restore == null ? 0 : restore.step();
    }

    /** It has got beyond the point from which it started. */
    boolean madeProgress() {
        return training.step != null && training.step > firstStep();
    }

    Attempt reaching(long reported, Instant now) {
        long newest = training.step == null ? reported : Math.max(training.step, reported);
        Instant first = training.firstStepAt == null && newest > firstStep() ? now : training.firstStepAt;
        return with(new Training(newest, first, training.stallMillis));
    }

    /** The counter only rises; a report that is late says less. */
    Attempt stalledFor(long millis) {
        return with(new Training(training.step, training.firstStepAt, Math.max(training.stallMillis, millis)));
    }

    Attempt at(AttemptStage newStage, Instant now) {
        return with(course.at(newStage, now));
    }

    Attempt mapMembers(UnaryOperator<Member> change) {
        List<Member> changed = members.stream().map(change).toList();
        return new Attempt(number, place, course, outcome, restore, rendezvous, training, changed);
    }

    Attempt restoring(RestoreDecision decision) {
        return new Attempt(number, place, course, outcome, decision, rendezvous, training, members);
    }

    Attempt meeting(Rendezvous at, Instant now) {
        Course run = course.at(AttemptStage.RUN, now);
        return new Attempt(number, place, run, outcome, restore, at, training, members);
    }

    Attempt runningSince(Instant now) {
        return with(course.running(now));
    }

    Attempt awaitingEvidence(Instant now) {
        return with(course.awaitingEvidence(now));
    }

    /** Every member not yet gone is told to stop. */
    Attempt stopping(Ending decided, boolean askVerdict, Instant now) {
        return with(course.stopping(now)).with(new Outcome(decided, askVerdict));
    }

    Attempt judged(Ending decided) {
        return with(new Outcome(decided, false));
    }

    Attempt ended(Instant now) {
        return with(course.ended(now));
    }

    private Attempt with(Course newCourse) {
        return new Attempt(number, place, newCourse, outcome, restore, rendezvous, training, members);
    }

    private Attempt with(Outcome newOutcome) {
        return new Attempt(number, place, course, newOutcome, restore, rendezvous, training, members);
    }

    private Attempt with(Training newTraining) {
        return new Attempt(number, place, course, outcome, restore, rendezvous, newTraining, members);
    }
}

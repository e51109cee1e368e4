package io.muster.job.waste;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the GPU time that a job held went, for the job and for each of its attempts. Time is cut by the attempts: before
 * its first step an attempt is starting; then it trains until it breaks; what it trained after the oldest state to which a
 * later attempt went back was done again; then it is cleared away, which is recovery if the job goes on. No attempt alive:
 * the GPUs are held idle. Checkpoint stall is known only as a sum for an attempt, so it is taken evenly from its training;
 * what falls on training that was lost counts as lost.
 *
 * <p>Everything is counted in whole milliseconds, so the parts always sum to what was held, whatever the clocks of the
 * services that told the moments: moments out of order are moved forward to the one before.
 *
 * @param betweenAttempts before the first, after the last, and between two
 */
public record WasteLedger(GpuTime total, GpuTime betweenAttempts, List<OfAttempt> attempts) {

    public record OfAttempt(int attempt, GpuTime time) {}

    /** The cuts of one attempt, in this order, in milliseconds. */
    private record Cuts(
            int attempt, long start, long training, long lost, long broken, long end, long stall, boolean goesOn) {}

    public WasteLedger {
        attempts = List.copyOf(attempts);
    }

    /** @param spans in the order of the attempts */
    public static WasteLedger of(List<Held> held, List<AttemptSpan> spans, Instant asOf) {
        List<Cuts> cuts = cuts(spans, asOf.toEpochMilli());
        List<OfAttempt> attempts = new ArrayList<>();
        GpuTime inAttempts = GpuTime.NONE;
        for (Cuts cut : cuts) {
            GpuTime time = GpuTime.NONE;
            for (Held one : held) {
                time = time.plus(ofAttempt(one, cut, asOf.toEpochMilli()));
            }
            attempts.add(new OfAttempt(cut.attempt, time));
            inAttempts = inAttempts.plus(time);
        }
        long all = 0;
        for (Held one : held) {
            all += overlap(one, Long.MIN_VALUE, Long.MAX_VALUE, asOf.toEpochMilli()) * one.gpus();
        }
        GpuTime between = GpuTime.idle(all - inAttempts.heldGpuMillis());
        return new WasteLedger(inAttempts.plus(between), between, attempts);
    }

    private static List<Cuts> cuts(List<AttemptSpan> spans, long now) {
        List<Cuts> cuts = new ArrayList<>();
        long before = Long.MIN_VALUE;
        for (int i = 0; i < spans.size(); i++) {
            AttemptSpan span = spans.get(i);
            long start = Math.max(before, Math.min(now, span.startedAt().toEpochMilli()));
            long end = at(span.endedAt(), start, now);
            long broken = Math.min(end, at(span.brokenAt(), start, now));
            long training =
                    span.trainingSince() == null ? broken : Math.min(broken, at(span.trainingSince(), start, now));
            long lost = Math.clamp(lostFrom(spans.subList(i + 1, spans.size())), training, broken);
            cuts.add(new Cuts(
                    span.attempt(),
                    start,
                    training,
                    lost,
                    broken,
                    end,
                    Math.max(0, span.stallMillis()),
                    span.goesOn()));
            before = end;
        }
        return cuts;
    }

    private static long at(@Nullable Instant moment, long notBefore, long now) {
        return moment == null ? Math.max(notBefore, now) : Math.max(notBefore, Math.min(now, moment.toEpochMilli()));
    }

    /** The oldest state to which one of these went back. */
    private static long lostFrom(List<AttemptSpan> later) {
        long oldest = Long.MAX_VALUE;
        for (AttemptSpan span : later) {
            Instant back = span.wentBackTo();
            oldest = back == null ? oldest : Math.min(oldest, back.toEpochMilli());
        }
        return oldest;
    }

    private static GpuTime ofAttempt(Held held, Cuts cut, long now) {
        long kept = overlap(held, cut.training, cut.lost, now);
        long stall = share(kept, cut.stall, cut.broken - cut.training);
        long cleared = overlap(held, cut.broken, cut.end, now) * held.gpus();
        return GpuTime.restart(overlap(held, cut.start, cut.training, now) * held.gpus())
                .plus(GpuTime.stall(stall * held.gpus()))
                .plus(GpuTime.useful((kept - stall) * held.gpus()))
                .plus(GpuTime.recompute(overlap(held, cut.lost, cut.broken, now) * held.gpus()))
                .plus(cut.goesOn ? GpuTime.restart(cleared) : GpuTime.idle(cleared));
    }

    /** As much of the stall as falls on this part of the training. */
    private static long share(long part, long stall, long training) {
        long most = Math.min(stall, training);
        return training <= 0
                ? 0
                : BigInteger.valueOf(most)
                        .multiply(BigInteger.valueOf(part))
                        .divide(BigInteger.valueOf(training))
                        .longValueExact();
    }

    private static long overlap(Held held, long from, long to, long now) {
        long since = Math.min(now, held.since().toEpochMilli());
        long until = held.until() == null ? now : Math.min(now, held.until().toEpochMilli());
        return Math.max(0, Math.min(to, until) - Math.max(from, since));
    }
}

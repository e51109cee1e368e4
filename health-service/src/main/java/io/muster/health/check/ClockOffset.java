package io.muster.health.check;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * How far an agent's clock is from ours, from the times in its last heartbeats. A heartbeat's way takes time, so a
 * sample can only be too low (the agent seems behind); the highest of the last five is the nearest to the truth. The
 * rest of the error is the quickest of five ways, far below a second; half of the round trip is not known and not
 * guessed. Over 1 s is WARN; over 5 s is FAIL, once three heartbeats agree, and until then UNKNOWN.
 */
public record ClockOffset(List<Duration> samples) {

    public static final ClockOffset NONE = new ClockOffset(List.of());

    private static final Duration WARN_ABOVE = Duration.ofSeconds(1);
    private static final Duration FAIL_ABOVE = Duration.ofSeconds(5);
    private static final int KEPT = 5;
    private static final int NEEDED_TO_FAIL = 3;

    public ClockOffset {
        samples = List.copyOf(samples);
    }

    public ClockOffset with(Instant agentTime, Instant now) {
        List<Duration> more = new ArrayList<>(samples);
        more.add(Duration.between(now, agentTime));
        return new ClockOffset(more.subList(Math.max(0, more.size() - KEPT), more.size()));
    }

    /** Whether the judgement no longer hangs on a single slow heartbeat. */
    public boolean settled() {
        return samples.size() >= NEEDED_TO_FAIL
                || samples.stream().anyMatch(sample -> sample.abs().compareTo(FAIL_ABOVE) <= 0);
    }

    public CheckResult judge(Instant now) {
        if (samples.isEmpty()) {
            return result(CheckStatus.UNKNOWN, "no heartbeat has been heard yet", now);
        }
        Duration offset = samples.stream().max(Duration::compareTo).orElseThrow();
        String measured = "the node's clock is " + offset.abs().toMillis() + " ms "
                + (offset.isNegative() ? "behind" : "ahead") + " of health-service";
        if (offset.abs().compareTo(WARN_ABOVE) <= 0) {
            return result(CheckStatus.PASS, measured, now);
        }
        if (offset.abs().compareTo(FAIL_ABOVE) <= 0) {
            return result(CheckStatus.WARN, measured + ", more than 1000 ms: look at its time synchronisation", now);
        }
        return result(
                samples.size() < NEEDED_TO_FAIL ? CheckStatus.UNKNOWN : CheckStatus.FAIL,
                measured + ", more than 5000 ms: repair its time synchronisation",
                now);
    }

    private static CheckResult result(CheckStatus status, String message, Instant now) {
        return new CheckResult(TierACheck.CLOCK_OFFSET.checkName(), status, true, message, 0, now);
    }
}

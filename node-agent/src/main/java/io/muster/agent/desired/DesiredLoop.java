package io.muster.agent.desired;

import io.muster.agent.attempt.Attempt;
import io.muster.agent.attempt.AttemptKey;
import io.muster.agent.attempt.Attempts;
import io.muster.agent.http.Answer;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.pace.Backoff;
import io.muster.agent.pace.ChangeSignal;
import io.muster.agent.pace.StopSignal;
import io.muster.agent.registration.Membership;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.MemberPhase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Fetches the desired state by long poll and makes it so. What was last obeyed stays in force while job-service is away;
 * ranks never notice that. Converging is repeated at every change here or there, and a few times a second besides.
 */
public final class DesiredLoop {

    private static final Logger LOG = LoggerFactory.getLogger(DesiredLoop.class);
    private static final int WAIT_SECONDS = 20;
    private static final Duration CONVERGE_EVERY = Duration.ofMillis(200);

    private final AgentSettings settings;
    private final ServiceClient services;
    private final Membership membership;
    private final Attempts attempts;
    private final Obedience obedience;
    private final Backoff backoff;
    private final ChangeSignal wake;
    private final StopSignal stop;
    private final Reporter reporter;
    private volatile @Nullable DesiredState desired;
    private boolean polledBefore;

    public DesiredLoop(
            AgentSettings settings,
            ServiceClient services,
            Membership membership,
            Attempts attempts,
            JsonMapper json,
            RandomGenerator random,
            ChangeSignal wake,
            ChangeSignal tell,
            StopSignal stop) {
        this.settings = settings;
        this.services = services;
        this.membership = membership;
        this.attempts = attempts;
        this.obedience = new Obedience(settings.home(), json);
        this.backoff = new Backoff(random, Duration.ofMillis(100), Duration.ofSeconds(2));
        this.wake = wake;
        this.stop = stop;
        this.reporter = new Reporter(settings, services, membership, attempts, obedience, json, tell, stop);
    }

    public void start() {
        Thread.ofPlatform().daemon().name("desired").start(this::poll);
        Thread.ofPlatform().daemon().name("converge").start(this::converge);
        reporter.start();
    }

    /** Tells job-service once more how things are, before the agent ends. */
    public void lastReport() {
        reporter.tellOnce(Duration.ofMillis(800));
    }

    private void poll() {
        while (!stop.raised()) {
            if (!membership.active()) {
                stop.pause(Duration.ofMillis(50));
                continue;
            }
            try {
                stop.pause(pollOnce());
            } catch (RuntimeException bug) {
                LOG.error("desired state could not be taken in; asking again", bug);
                stop.pause(Duration.ofSeconds(1));
            }
        }
    }

    /** How long to wait before the next poll. */
    private Duration pollOnce() {
        long from = polledBefore ? obedience.revision() : 0;
        int wait = polledBefore ? WAIT_SECONDS : 0;
        String path = "/internal/agents/" + settings.node() + "/desired?revision=" + from + "&waitSeconds=" + wait;
        long begun = System.nanoTime();
        return switch (services.get(settings.jobUrl(), path, DesiredState.class, Duration.ofSeconds(wait + 10L))) {
            case Answer.Ok<DesiredState> ok -> {
                backoff.succeeded();
                yield taken(ok.body(), from, begun);
            }
            case Answer.Refused<DesiredState> refused -> {
                LOG.warn("desired state refused status={} {}", refused.status(), refused.detail());
                yield backoff.next();
            }
            case Answer.Unreachable<DesiredState> away -> {
                LOG.debug("desired state: {}", away.why());
                yield backoff.next();
            }
        };
    }

    private Duration taken(DesiredState answer, long from, long begun) {
        return switch (obedience.judge(answer)) {
            case OBEY -> {
                polledBefore = true;
                desired = answer;
                wake.raise();
                boolean hurried = answer.revision() <= from && System.nanoTime() - begun < 500_000_000L;
                yield hurried ? Duration.ofMillis(200) : Duration.ZERO;
            }
            case BEHIND -> Duration.ofSeconds(2);
            case FOREIGN -> {
                desired = null;
                yield Duration.ofSeconds(2);
            }
        };
    }

    private void converge() {
        while (!stop.raised()) {
            try {
                convergeOnce();
            } catch (RuntimeException bug) {
                LOG.error("converging failed; it is tried again", bug);
            }
            wake.await(CONVERGE_EVERY);
        }
    }

    private void convergeOnce() {
        DesiredState order = desired;
        if (order == null || reporter.isStale()) {
            return;
        }
        Set<AttemptKey> taken = reporter.goneAndTaken();
        List<LocalAttempt> local = attempts.all().stream()
                .map(attempt ->
                        new LocalAttempt(attempt.key(), attempt.phase(), attempt.gpus(), forgettable(attempt, taken)))
                .toList();
        for (Action action : Convergence.decide(order.assignments(), local)) {
            if (stop.raised()) {
                return;
            }
            apply(action);
        }
        reporter.tookIn(order.revision());
    }

    private static boolean forgettable(Attempt attempt, Set<AttemptKey> taken) {
        return attempt.phase() == MemberPhase.GONE && taken.contains(attempt.key()) && attempt.settled();
    }

    private void apply(Action action) {
        switch (action) {
            case Action.Begin begin -> attempts.begin(begin.assignment());
            case Action.Run run -> attempts.run(run.assignment());
            case Action.Stop end -> attempts.stop(end.key());
            case Action.ConfirmGone confirm -> attempts.confirmGone(confirm.assignment());
            case Action.DeclareLost lost -> attempts.declareLost(lost.assignment(), lost.task());
            case Action.Forget forget -> attempts.forget(forget.key());
        }
    }
}

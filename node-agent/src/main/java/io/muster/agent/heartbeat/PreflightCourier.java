package io.muster.agent.heartbeat;

import io.muster.agent.checks.NodeChecks.Preflight;
import io.muster.agent.http.Answer;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.pace.Backoff;
import io.muster.agent.pace.StopSignal;
import io.muster.agent.registration.Membership;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.node.PreflightReport;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a preflight's findings to health-service, trying for two minutes: it needs them to say whom to blame. A final
 * refusal ends it; by then the attempt is decided without them.
 */
public final class PreflightCourier {

    private static final Logger LOG = LoggerFactory.getLogger(PreflightCourier.class);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration AT_MOST = Duration.ofMinutes(2);

    private final AgentSettings settings;
    private final ServiceClient services;
    private final Membership membership;
    private final RandomGenerator random;
    private final StopSignal stop;

    public PreflightCourier(
            AgentSettings settings,
            ServiceClient services,
            Membership membership,
            RandomGenerator random,
            StopSignal stop) {
        this.settings = settings;
        this.services = services;
        this.membership = membership;
        this.random = random;
        this.stop = stop;
    }

    public void tell(Assignment assignment, GangTask task, Preflight preflight) {
        Backoff backoff = new Backoff(random, Duration.ofMillis(200), Duration.ofSeconds(3));
        long until = System.nanoTime() + AT_MOST.toNanos();
        while (!deliver(assignment, task, preflight)) {
            if (stop.pause(backoff.next()) || System.nanoTime() > until) {
                LOG.warn("preflight of {} was not brought to health-service", assignment.jobId());
                return;
            }
        }
    }

    private boolean deliver(Assignment assignment, GangTask task, Preflight preflight) {
        PreflightReport report = new PreflightReport(
                assignment.jobId(),
                assignment.attempt(),
                membership.session(),
                task.members().stream().map(GangMember::node).toList(),
                preflight.checks(),
                preflight.pairs());
        String path = "/internal/agents/" + settings.node() + "/preflight";
        return switch (services.post(settings.healthUrl(), path, report, Answer.NoContent.class, PATIENCE)) {
            case Answer.Ok<Answer.NoContent> ok -> true;
            case Answer.Refused<Answer.NoContent> refused -> {
                LOG.warn("preflight report refused status={} {}", refused.status(), refused.detail());
                yield !refused.transientRefusal() && !refused.unauthorized();
            }
            case Answer.Unreachable<Answer.NoContent> away -> false;
        };
    }
}

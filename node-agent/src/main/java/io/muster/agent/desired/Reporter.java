package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.agent.attempt.Attempts;
import io.muster.agent.http.Answer;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.pace.ChangeSignal;
import io.muster.agent.pace.StopSignal;
import io.muster.agent.registration.Membership;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells job-service what this node has: at every change, every two seconds while there are attempts, and when a revision
 * was taken in; once more after the node has registered again, because what was said in an ended session counts for
 * nothing. A report is whole, so a lost one is made good by the next. The revision is read before exits and kernel facts
 * are looked at, so every one that was there when it was taken in is in the report that acknowledges it.
 */
final class Reporter {

    private static final Logger LOG = LoggerFactory.getLogger(Reporter.class);
    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration AFTER_A_FAILURE = Duration.ofMillis(500);

    private final AgentSettings settings;
    private final ServiceClient services;
    private final Membership membership;
    private final Attempts attempts;
    private final Obedience obedience;
    private final JsonMapper json;
    private final ChangeSignal tell;
    private final StopSignal stop;
    private volatile long takenIn;
    private volatile long told;
    private volatile long toldInSession;
    private volatile Set<AttemptKey> goneAndTaken = Set.of();
    private volatile boolean stale;

    Reporter(
            AgentSettings settings,
            ServiceClient services,
            Membership membership,
            Attempts attempts,
            Obedience obedience,
            JsonMapper json,
            ChangeSignal tell,
            StopSignal stop) {
        this.settings = settings;
        this.services = services;
        this.membership = membership;
        this.attempts = attempts;
        this.obedience = obedience;
        this.json = json;
        this.tell = tell;
        this.stop = stop;
    }

    void start() {
        Thread.ofPlatform().daemon().name("reports").start(this::run);
    }

    void tookIn(long revision) {
        if (revision != takenIn) {
            takenIn = revision;
            tell.raise();
        }
    }

    /** Attempts that job-service knows to be gone. */
    Set<AttemptKey> goneAndTaken() {
        return goneAndTaken;
    }

    /** Whether job-service has said that this node is not its own. */
    boolean isStale() {
        return stale;
    }

    private void run() {
        while (!stop.raised()) {
            boolean changed = tell.await(EVERY);
            if (stop.raised() || !membership.active()) {
                stop.pause(Duration.ofMillis(50));
                continue;
            }
            try {
                boolean news = changed || told != takenIn || toldInSession != membership.session();
                if ((news || !attempts.isEmpty()) && !tellOnce(PATIENCE)) {
                    stop.pause(AFTER_A_FAILURE);
                    tell.raise();
                }
            } catch (RuntimeException bug) {
                LOG.error("report failed; the next one is sent as usual", bug);
                stop.pause(AFTER_A_FAILURE);
            }
        }
    }

    /** True if the report was taken. Before first contact with job-service there is nobody to report to. */
    synchronized boolean tellOnce(Duration patience) {
        var incarnation = obedience.incarnation();
        if (incarnation.isEmpty()) {
            return true;
        }
        NodeReport report = looked(
                membership.session(), incarnation.get(), () -> takenIn, () -> Writable.of(attempts.reports(), json));
        String path = "/internal/agents/" + settings.node() + "/report";
        return switch (services.post(settings.jobUrl(), path, report, ReportAnswer.class, patience)) {
            case Answer.Ok<ReportAnswer> ok -> {
                taken(ok.body(), report.attempts());
                told = report.acknowledgedRevision();
                toldInSession = report.session();
                yield true;
            }
            case Answer.Refused<ReportAnswer> refused -> {
                LOG.warn("report refused status={} {}", refused.status(), refused.detail());
                yield false;
            }
            case Answer.Unreachable<ReportAnswer> away -> {
                LOG.debug("report: {}", away.why());
                yield false;
            }
        };
    }

    /** First the revision, then the evidence: the other way round an exit in between would be missing. */
    static NodeReport looked(
            long session, String incarnation, LongSupplier takenIn, Supplier<List<AttemptReport>> evidence) {
        long acknowledged = takenIn.getAsLong();
        return new NodeReport(session, incarnation, acknowledged, evidence.get());
    }

    private void taken(ReportAnswer answer, List<AttemptReport> reports) {
        if (answer.staleIncarnation()) {
            if (!stale) {
                LOG.error(
                        "job-service says that this node belongs to another incarnation than its own; nothing is"
                                + " started or stopped. An administrator decides: remove state.json in {}",
                        settings.home());
            }
            stale = true;
            return;
        }
        stale = false;
        goneAndTaken = reports.stream()
                .filter(report -> report.phase() == MemberPhase.GONE)
                .map(report -> new AttemptKey(report.jobId(), report.attempt()))
                .collect(Collectors.toUnmodifiableSet());
    }
}

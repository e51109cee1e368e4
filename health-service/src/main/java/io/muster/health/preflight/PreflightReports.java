package io.muster.health.preflight;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.problem.Problem;
import io.muster.health.check.CheckLedger;
import io.muster.health.check.CheckRules;
import io.muster.health.heartbeat.Watches;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import io.muster.health.preflight.PreflightRepository.Key;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Takes members' reports and answers job-service. A member's own failure keeps new work off it at once; whom the failed
 * preflight is blamed on is decided by {@link PreflightRulings}. A report of an ended session is refused.
 */
@Component
class PreflightReports {

    private final PreflightRepository repository;
    private final Nodes nodes;
    private final CheckLedger ledger;
    private final Watches watches;
    private final JudgeSeat seat;
    private final TransactionTemplate transaction;
    private final Clock clock;

    PreflightReports(
            PreflightRepository repository,
            Nodes nodes,
            CheckLedger ledger,
            Watches watches,
            JudgeSeat seat,
            TransactionTemplate transaction,
            Clock clock) {
        this.repository = repository;
        this.nodes = nodes;
        this.ledger = ledger;
        this.watches = watches;
        this.seat = seat;
        this.transaction = transaction;
        this.clock = clock;
    }

    ReportAnswer take(NodeId node, PreflightReport report) {
        Optional<NodeRecord> known = nodes.find(node);
        if (known.isEmpty()
                || known.get().session() != report.session()
                || known.get().sessionEnded()) {
            return new ReportAnswer.Refused(Problem.of(
                    409,
                    "SESSION_ENDED",
                    "The session is over",
                    "The report is of session " + report.session() + " of node " + node + ", which has ended.",
                    "Register again; the attempt's preflight is judged without this report."));
        }
        if (!report.members().contains(node)) {
            return new ReportAnswer.Refused(Problem.of(
                    400,
                    "NOT_A_MEMBER",
                    "The node is not a member",
                    "Node " + node + " reports a preflight of " + report.members() + ", in which it is not.",
                    "Send the members of the gang, the node itself among them."));
        }
        List<CheckResult> failing =
                report.checks().stream().filter(CheckRules::speaksAgainstNode).toList();
        transaction.executeWithoutResult(status -> store(node, report, failing));
        if (!failing.isEmpty()) {
            watches.preflightFound(node, failing);
        }
        return new ReportAnswer.Taken();
    }

    /** Job-service's question makes an unknown preflight known: it is judged even if nobody ever reports. */
    PreflightVerdict verdict(JobId job, int attempt) {
        Key key = new Key(job, attempt);
        Instant now = clock.instant();
        Optional<PreflightVerdict> known = repository.verdict(key);
        if (known.isEmpty() || !known.get().decided()) {
            transaction.executeWithoutResult(status -> {
                repository.ensure(key, now);
                repository.judgeFrom(key, now);
            });
        }
        return known.filter(verdict -> verdict.decided() || !verdict.message().isEmpty())
                .orElseGet(() -> new PreflightVerdict(false, List.of(), "waiting for the members' reports"));
    }

    private void store(NodeId node, PreflightReport report, List<CheckResult> failing) {
        Key key = new Key(report.jobId(), report.attempt());
        Instant now = clock.instant();
        seat.fence().require();
        repository.ensure(key, now);
        if (!repository.add(key, node, report, now)) {
            return;
        }
        if (PreflightJudge.fails(report)) {
            repository.judgeFrom(key, now);
        }
        ledger.record(node, report.session(), report.checks());
        if (!failing.isEmpty()) {
            String message = CheckRules.describe(failing) + " (preflight of " + report.jobId() + ")";
            nodes.change(
                    node,
                    seat.fence(),
                    "preflight",
                    (before, newId, at) -> before.with(before.holds()
                            .with(
                                    HoldOpening.byHealth(
                                            HoldCause.CHECK_FAILED, node.value(), message, report.session()),
                                    newId,
                                    at)));
        }
    }
}

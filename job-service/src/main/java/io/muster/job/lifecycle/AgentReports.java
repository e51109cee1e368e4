package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.job.cluster.ClusterIdentity;
import io.muster.job.node.NodeDirectory;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Takes in what a node says it has. A report of another incarnation, or of a life of the node that is over, changes
 * nothing; a report about an attempt that is not the newest counts only for saying that it is gone. Every attempt is a
 * transaction of its own, so that a report about many jobs locks one at a time, and one that cannot be taken does not keep
 * the node's others out: it is logged and counts as taken, because the same report would fail again. Only if the database
 * is at fault the answer is an error, after all others were tried, so that the agent sends the whole report once more.
 * The revision that the report takes in counts after all that it says: whoever waits for evidence has it then.
 */
@Component
public class AgentReports {

    private static final Logger log = LoggerFactory.getLogger(AgentReports.class);

    private final JobWriter writer;
    private final DesiredStore desired;
    private final NodeDirectory nodes;
    private final ClusterIdentity cluster;

    AgentReports(JobWriter writer, DesiredStore desired, NodeDirectory nodes, ClusterIdentity cluster) {
        this.writer = writer;
        this.desired = desired;
        this.nodes = nodes;
        this.cluster = cluster;
    }

    public ReportAnswer take(NodeId node, NodeReport report) {
        boolean stale = !cluster.incarnation().equals(report.incarnation());
        if (stale) {
            log.info("report of another incarnation ignored node={} incarnation={}", node, report.incarnation());
        } else if (report.session() < nodes.session(node)) {
            log.info("report of an ended session ignored node={} session={}", node, report.session());
        } else {
            takeEach(node, report);
        }
        return new ReportAnswer(desired.revision(node), stale);
    }

    private void takeEach(NodeId node, NodeReport report) {
        RuntimeException outage = null;
        Set<JobId> untaken = new HashSet<>();
        for (AttemptReport attempt : report.attempts()) {
            try {
                take(node, CleanReport.of(attempt));
            } catch (TransactionException | TransientDataAccessException | DataAccessResourceFailureException away) {
                outage = away;
            } catch (RuntimeException failed) {
                untaken.add(attempt.jobId());
                log.error(
                        "report not taken node={} job={} attempt={} phase={}",
                        node,
                        attempt.jobId(),
                        attempt.attempt(),
                        attempt.phase(),
                        failed);
            }
        }
        if (outage != null) {
            throw outage;
        }
        for (JobId job : desired.asking(node, report.acknowledgedRevision())) {
            if (!untaken.contains(job)) {
                writer.change(
                        job, (one, now) -> EvidenceBarrier.acknowledged(one, node, report.acknowledgedRevision(), now));
            }
        }
    }

    private void take(NodeId node, AttemptReport report) {
        if (report.phase() == MemberPhase.GONE && desired.confirmGone(node, report.jobId(), report.attempt())) {
            return;
        }
        writer.change(report.jobId(), (job, now) -> AttemptDecisions.reported(job, node, report, now));
    }
}

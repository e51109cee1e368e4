package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.id.NodeId;
import io.muster.job.cluster.ClusterIdentity;
import io.muster.job.node.NodeDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Takes in what a node says it has. A report of another incarnation, or of a life of the node that is over, changes
 * nothing; a report about an attempt that is not the newest counts only for saying that it is gone. Every attempt is a
 * transaction of its own, so that a report about many jobs locks one at a time.
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
            report.attempts().forEach(attempt -> take(node, attempt));
        }
        return new ReportAnswer(desired.revision(node), stale);
    }

    private void take(NodeId node, AttemptReport report) {
        if (report.phase() == MemberPhase.GONE && desired.confirmGone(node, report.jobId(), report.attempt())) {
            return;
        }
        writer.change(report.jobId(), (job, now) -> AttemptDecisions.reported(job, node, report, now));
    }
}

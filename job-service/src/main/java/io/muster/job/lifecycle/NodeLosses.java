package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import io.muster.contract.node.NodeState;
import io.muster.job.node.NodeDirectory;
import java.util.List;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * A node under an EVICT hold is lost for the jobs on it. The node's state is stored first and the jobs are looked up
 * after: a gang placed meanwhile either shows up in the look-up or sees the stored state before it gives out tasks.
 */
@Component
class NodeLosses {

    private final NodeDirectory nodes;
    private final DesiredStore desired;
    private final JobWriter writer;

    NodeLosses(NodeDirectory nodes, DesiredStore desired, JobWriter writer) {
        this.nodes = nodes;
        this.desired = desired;
        this.writer = writer;
    }

    @Transactional
    public void learn(NodeState state) {
        nodes.put(state);
        if (NodeDirectory.evicts(state.holds())) {
            for (JobId job : desired.lockKeeping(state.node())) {
                writer.change(job, (one, now) -> AttemptDecisions.lost(one, lostOf(state), now));
            }
        } else {
            boolean takesNewWork = NodeDirectory.takesNewWork(state.holds());
            for (JobId job : desired.lockShunning(state.node())) {
                writer.change(
                        job, (one, now) -> AttemptDecisions.found(one, state.node(), state.session(), takesNewWork));
            }
        }
    }

    /** The node, if by this state of it what any job had there is lost. */
    static List<Job.LostNode> lostOf(NodeState state) {
        return NodeDirectory.evicts(state.holds())
                ? List.of(new Job.LostNode(state.node(), state.session()))
                : List.of();
    }
}

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
        if (NodeDirectory.evicts(state, allGpus(state))) {
            for (JobId job : desired.lockLiveOn(state.node())) {
                writer.change(job, (one, now) -> AttemptDecisions.lost(one, lostOf(one, state), now));
            }
        } else {
            for (JobId job : desired.lockShunning(state.node())) {
                writer.change(job, (one, now) -> AttemptDecisions.found(one, state.node(), state.session()));
            }
        }
    }

    /** The nodes of the job's attempt that are lost by this state of one node: that node, or none. */
    static List<Job.LostNode> lostOf(Job job, NodeState state) {
        return job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .filter(member -> member.node().equals(state.node()) && NodeDirectory.evicts(state, member.gpus()))
                .map(member -> new Job.LostNode(member.node(), state.session()))
                .toList();
    }

    private static List<Integer> allGpus(NodeState state) {
        return state.facts().gpus().stream().map(gpu -> gpu.index()).toList();
    }
}

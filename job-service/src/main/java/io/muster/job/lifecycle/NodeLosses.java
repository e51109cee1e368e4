package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import io.muster.contract.node.NodeState;
import io.muster.job.node.NodeDirectory;
import java.util.List;
import java.util.stream.Stream;
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
            for (JobId job : desired.lockKeeping(state.node())) {
                writer.change(job, (one, now) -> AttemptDecisions.lost(one, lostOf(one, state), now));
            }
        } else {
            for (JobId job : desired.lockShunning(state.node())) {
                writer.change(job, (one, now) -> AttemptDecisions.found(one, state.node(), state.session()));
            }
        }
    }

    /** What the job keeps, or its attempt had, on this node is lost by this state of it: that node, or none. */
    static List<Job.LostNode> lostOf(Job job, NodeState state) {
        Gang gang = job.holding().gang();
        Stream<List<Integer>> seats = gang == null
                ? Stream.empty()
                : gang.seats().stream()
                        .filter(seat -> seat.node().equals(state.node()))
                        .map(Gang.Seat::gpus);
        Stream<List<Integer>> members = job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .filter(member -> member.node().equals(state.node()))
                .map(Member::gpus);
        return Stream.concat(seats, members).anyMatch(gpus -> NodeDirectory.evicts(state, gpus))
                ? List.of(new Job.LostNode(state.node(), state.session()))
                : List.of();
    }

    private static List<Integer> allGpus(NodeState state) {
        return state.facts().gpus().stream().map(gpu -> gpu.index()).toList();
    }
}

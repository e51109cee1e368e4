package io.muster.contract.agent;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a node needs to know of an attempt.
 *
 * @param members in node-rank order, this node among them
 * @param gpus indices held on this node
 * @param checkpoint null: the job does not checkpoint
 * @param restore what to start from; its shards are verified in preflight, before any rank starts
 * @param rendezvous null until the action is RUN
 * @param stopGraceSeconds between SIGTERM and SIGKILL
 * @param peerKey a secret of this job whose knowledge its members show one another when they copy or fetch shards; never logged
 */
public record GangTask(
        TenantId tenant,
        ProjectId project,
        String jobName,
        int nodeRank,
        List<GangMember> members,
        List<Integer> gpus,
        int processesPerNode,
        Launch launch,
        @Nullable CheckpointPlan checkpoint,
        RestoreDecision restore,
        @Nullable Rendezvous rendezvous,
        int stopGraceSeconds,
        String peerKey) {

    public GangTask {
        members = List.copyOf(members);
        gpus = List.copyOf(gpus);
    }

    /** Without the key and the environment: a task may end up in a log. */
    @Override
    public String toString() {
        return "GangTask[job " + jobName + " of " + tenant + "/" + project + ", node rank " + nodeRank + " of "
                + members.size() + ", GPUs " + gpus + "]";
    }

    public int worldSize() {
        return members.size() * processesPerNode;
    }
}

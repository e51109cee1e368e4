package io.muster.agent.process;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.EnvProfile;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.Rendezvous;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.NodeId;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The environment of a rank, from nothing (docs/client-protocol.md): ours first, then the user's; ours cannot be changed. */
public final class RankEnvironment {

    private RankEnvironment() {}

    /** What of this node goes into it. */
    public record Place(
            NodeId node, String address, Path folder, Path nodesFile, Path socket, Optional<String> clientPythonPath) {}

    /** Which process of the node; with torchrun there is only process 0. */
    public static Map<String, String> of(
            Assignment assignment, GangTask task, Rendezvous rendezvous, int localRank, Place place) {
        Map<String, String> env = new LinkedHashMap<>();
        env.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        env.put("LANG", "C.UTF-8");
        env.put("HOME", place.folder().toString());
        env.put("TMPDIR", place.folder().resolve("tmp").toString());
        env.put("PYTHONUNBUFFERED", "1");
        place.clientPythonPath().ifPresent(path -> env.put("PYTHONPATH", path));
        env.putAll(task.launch().env());
        if (task.launch().envProfile() == EnvProfile.DIRECT) {
            direct(env, task, rendezvous, localRank);
        } else {
            torchrun(env, task, rendezvous);
        }
        env.put("MUSTER_JOB_ID", assignment.jobId().value());
        env.put("MUSTER_JOB_NAME", task.jobName());
        env.put("MUSTER_ATTEMPT", Integer.toString(assignment.attempt()));
        env.put("MUSTER_NODE", place.node().value());
        env.put("MUSTER_NODE_RANK", Integer.toString(task.nodeRank()));
        env.put("MUSTER_NODE_ADDRESS", place.address());
        env.put("MUSTER_NODES_FILE", place.nodesFile().toString());
        env.put("MUSTER_AGENT_SOCKET", place.socket().toString());
        boolean restored = task.restore().verdict() == RestoreVerdict.RESTORED;
        env.put("MUSTER_RESUME_STEP", restored ? Long.toString(task.restore().step()) : "");
        CheckpointPlan plan = task.checkpoint();
        env.put("MUSTER_CHECKPOINT_EVERY_STEPS", Long.toString(plan == null ? 0 : plan.everySteps()));
        env.put("MUSTER_CHECKPOINT_EVERY_SECONDS", Long.toString(plan == null ? 0 : plan.everySeconds()));
        return env;
    }

    private static void direct(Map<String, String> env, GangTask task, Rendezvous rendezvous, int localRank) {
        int processes = task.processesPerNode();
        env.put("RANK", Integer.toString(task.nodeRank() * processes + localRank));
        env.put("WORLD_SIZE", Integer.toString(task.worldSize()));
        env.put("LOCAL_RANK", Integer.toString(localRank));
        env.put("LOCAL_WORLD_SIZE", Integer.toString(processes));
        env.put("GROUP_RANK", Integer.toString(task.nodeRank()));
        env.put("MASTER_ADDR", rendezvous.masterAddress());
        env.put("MASTER_PORT", Integer.toString(rendezvous.masterPort()));
        env.put("CUDA_VISIBLE_DEVICES", joined(share(task.gpus(), processes, localRank)));
    }

    private static void torchrun(Map<String, String> env, GangTask task, Rendezvous rendezvous) {
        env.put("PET_NNODES", Integer.toString(task.members().size()));
        env.put("PET_NPROC_PER_NODE", Integer.toString(task.processesPerNode()));
        env.put("PET_NODE_RANK", Integer.toString(task.nodeRank()));
        env.put("PET_MASTER_ADDR", rendezvous.masterAddress());
        env.put("PET_MASTER_PORT", Integer.toString(rendezvous.masterPort()));
        env.put("CUDA_VISIBLE_DEVICES", joined(task.gpus()));
    }

    /** Consecutive GPUs, as even as whole numbers allow; all of them if there are fewer than processes. */
    static List<Integer> share(List<Integer> gpus, int processes, int localRank) {
        if (gpus.size() < processes) {
            return gpus;
        }
        return gpus.subList(localRank * gpus.size() / processes, (localRank + 1) * gpus.size() / processes);
    }

    private static String joined(List<Integer> gpus) {
        return gpus.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}

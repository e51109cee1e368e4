package io.muster.agent;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.EnvProfile;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.Launch;
import io.muster.contract.agent.Rendezvous;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job as tests want it: one node unless more members are named. */
public final class Gang {

    public static final JobId JOB = new JobId("job_0000000001");

    private List<String> command = List.of("true");
    private final Map<String, String> env = new LinkedHashMap<>();
    private int processes = 1;
    private EnvProfile profile = EnvProfile.DIRECT;
    private @Nullable CheckpointPlan checkpoint;
    private RestoreDecision restore = new RestoreDecision(RestoreVerdict.FRESH, null, 0, List.of(), "first attempt");
    private @Nullable String workingDir;
    private List<GangMember> members;
    private int graceSeconds = 2;
    private int nodeRank;
    private String peerKey = "";

    public Gang(String node, String address, int port) {
        members = List.of(new GangMember(0, new NodeId(node), address, port, ""));
    }

    public Gang command(String... words) {
        command = List.of(words);
        return this;
    }

    public Gang sh(String script) {
        return command("sh", "-c", script);
    }

    public Gang python(String script) {
        return command("python3", "-c", script);
    }

    public Gang env(String name, String value) {
        env.put(name, value);
        return this;
    }

    public Gang processes(int count) {
        processes = count;
        return this;
    }

    public Gang torchrun() {
        profile = EnvProfile.TORCHRUN;
        return this;
    }

    public Gang checkpoints(long everySteps, long everySeconds) {
        checkpoint = new CheckpointPlan("ckpt", everySteps, everySeconds);
        return this;
    }

    public Gang restore(RestoreDecision decision) {
        restore = decision;
        return this;
    }

    public Gang workingDir(String path) {
        workingDir = path;
        return this;
    }

    public Gang members(List<GangMember> all) {
        members = all;
        return this;
    }

    public Gang peers(int rank, String key) {
        nodeRank = rank;
        peerKey = key;
        return this;
    }

    public Gang graceSeconds(int seconds) {
        graceSeconds = seconds;
        return this;
    }

    public GangTask task(@Nullable Rendezvous rendezvous) {
        return new GangTask(
                new TenantId("research"),
                new ProjectId("nlp"),
                "test job",
                nodeRank,
                members,
                List.of(0, 1, 2, 3),
                processes,
                new Launch(command, List.of(), workingDir, env, profile, false),
                checkpoint,
                restore,
                rendezvous,
                graceSeconds,
                peerKey);
    }

    public Assignment preflight(int attempt) {
        return new Assignment(JOB, attempt, 1, AssignmentAction.PREFLIGHT, task(null));
    }

    public Assignment run(int attempt, int masterPort) {
        Rendezvous rendezvous = new Rendezvous(members.getFirst().address(), masterPort);
        return new Assignment(JOB, attempt, 1, AssignmentAction.RUN, task(rendezvous));
    }

    public static Assignment stop(int attempt) {
        return new Assignment(JOB, attempt, 1, AssignmentAction.STOP, null);
    }
}

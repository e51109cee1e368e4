package io.muster.job.lifecycle;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.job.Api;
import io.muster.job.TestDoor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An agent as the protocol describes it, one step at a time: it does what the test says, by the real endpoints. */
final class SimulatedAgent {

    final NodeId node;
    private final Api api;
    private long revision = -1;
    private String incarnation = "unknown";
    long session = 1;

    SimulatedAgent(int port, NodeId node) {
        this.node = node;
        this.api = new Api(port, TestDoor.node(node));
    }

    DesiredState desired(int waitSeconds) {
        DesiredState state = api.get(
                        "/internal/agents/" + node + "/desired?revision=" + revision + "&waitSeconds=" + waitSeconds)
                .as(DesiredState.class);
        revision = state.revision();
        incarnation = state.incarnation();
        return state;
    }

    /** Polls until the job's assignment has this action; what it takes in meanwhile it says, as agents do. */
    Assignment await(JobId job, AssignmentAction action) {
        revision = -1;
        for (int polls = 0; polls < 30; polls++) {
            Optional<Assignment> found = desired(2).assignments().stream()
                    .filter(one -> one.jobId().equals(job) && one.action() == action)
                    .findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            report();
        }
        throw new AssertionError("node " + node + " was never told to " + action + " " + job);
    }

    ReportAnswer report(AttemptReport... attempts) {
        NodeReport report = new NodeReport(session, incarnation, revision, List.of(attempts));
        Api.Reply reply = api.post("/internal/agents/" + node + "/report", report);
        if (reply.status() != 200) {
            throw new AssertionError(reply.status() + " " + reply.text());
        }
        return reply.as(ReportAnswer.class);
    }

    AttemptReport passed(Assignment task) {
        boolean first = task.task().nodeRank() == 0;
        return report(task, MemberPhase.PREFLIGHT_PASSED, first ? 29500 : null, List.of(), null);
    }

    AttemptReport failedPreflight(Assignment task) {
        CheckResult bad =
                new CheckResult("disk_space", CheckStatus.FAIL, true, "3 GB free, 10 GB needed", 5, Instant.now());
        return new AttemptReport(
                task.jobId(),
                task.attempt(),
                MemberPhase.PREFLIGHT_FAILED,
                null,
                null,
                List.of(bad),
                List.of(),
                null,
                null,
                null);
    }

    AttemptReport damaged(Assignment task, CheckpointId checkpoint) {
        return new AttemptReport(
                task.jobId(),
                task.attempt(),
                MemberPhase.PREFLIGHT_FAILED,
                null,
                null,
                List.of(),
                List.of(),
                null,
                null,
                checkpoint);
    }

    AttemptReport up(Assignment task) {
        return report(task, MemberPhase.RUNNING, null, ranks(task, null), null);
    }

    AttemptReport exited(Assignment task, ExitCause cause, int code, String line) {
        RankExit exit = new RankExit(code, null, cause, line, Instant.now());
        return report(task, MemberPhase.EXITED, null, ranks(task, exit), null);
    }

    AttemptReport gone(Assignment task) {
        return report(task, MemberPhase.GONE, null, List.of(), null);
    }

    AttemptReport result(Assignment task, long step, Map<String, Object> result) {
        Progress progress = new Progress(step, 100L, Map.of("loss", 0.5), Instant.now());
        return new AttemptReport(
                task.jobId(),
                task.attempt(),
                MemberPhase.RUNNING,
                null,
                null,
                List.of(),
                ranks(task, null),
                progress,
                result,
                null);
    }

    private AttemptReport report(
            Assignment task, MemberPhase phase, Integer port, List<RankReport> ranks, Progress progress) {
        return new AttemptReport(
                task.jobId(), task.attempt(), phase, port, null, List.of(), ranks, progress, null, null);
    }

    private List<RankReport> ranks(Assignment task, RankExit exit) {
        List<RankReport> ranks = new ArrayList<>();
        for (int local = 0; local < task.task().processesPerNode(); local++) {
            int rank = task.task().nodeRank() * task.task().processesPerNode() + local;
            ranks.add(new RankReport(rank, local, 1000 + rank, Instant.now(), true, exit));
        }
        return ranks;
    }
}

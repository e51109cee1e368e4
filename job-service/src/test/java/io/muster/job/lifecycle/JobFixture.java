package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.job.spec.JobSpec;
import io.muster.job.spec.SpecReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tools.jackson.databind.json.JsonMapper;

/** Jobs and facts about them for tests of the decisions. */
final class JobFixture {

    static final Instant T0 = Instant.parse("2026-11-29T12:00:00Z");
    static final JobId ID = new JobId("job_00000000001");
    static final TenantId TENANT = new TenantId("acme");
    static final ProjectId PROJECT = new ProjectId("llm");
    static final QueuePath QUEUE = new QueuePath("nlp/pretrain");

    private JobFixture() {}

    static JobSpec spec(String json) {
        return switch (SpecReader.read(JsonMapper.builder().build().readTree(json))) {
            case SpecReader.Accepted accepted -> accepted.spec().in(PROJECT, QUEUE);
            case SpecReader.Refused refused -> throw new AssertionError(refused.violations());
        };
    }

    static Job queued(int nodes, int processesPerNode, boolean client) {
        return queued(spec("""
                {"name": "a", "runtime": {"command": ["x"], "client": %s}, "resources": {"nodes": %d, "processesPerNode": %d}}""".formatted(client, nodes, processesPerNode)));
    }

    /** One process on each node, with these restarts. */
    static Job queued(int nodes, int platformRestarts, int userRestarts) {
        return queued(spec("""
                {"name": "a", "runtime": {"command": ["x"], "client": true}, "resources": {"nodes": %d},
                 "faultTolerance": {"platformRestarts": %d, "userRestarts": %d}}""".formatted(nodes, platformRestarts, userRestarts)));
    }

    static Job lost(Job job, List<NodeId> nodes, Instant now) {
        return AttemptDecisions.lost(
                job, nodes.stream().map(node -> new Job.LostNode(node, 1)).toList(), now);
    }

    static Job queued(JobSpec spec) {
        return Job.submitted(new Job.Head(ID, TENANT, PROJECT, QUEUE, spec, T0));
    }

    static NodeId node(int rank) {
        return new NodeId("n" + rank);
    }

    static PlacementState placement(int generation, int nodes) {
        return placement(
                generation, IntStream.range(0, nodes).mapToObj(JobFixture::node).toList());
    }

    static PlacementState placement(int generation, List<NodeId> nodes) {
        return placement(generation, nodes, List.of(), null);
    }

    /** Lost members are free; with {@code repairedBy} all are. */
    static PlacementState placement(int generation, List<NodeId> nodes, List<NodeId> lost, Integer repairedBy) {
        List<PlacedMember> members = new ArrayList<>();
        for (int rank = 0; rank < nodes.size(); rank++) {
            Instant until = repairedBy != null || lost.contains(nodes.get(rank)) ? T0.plusSeconds(1) : null;
            members.add(new PlacedMember(rank, nodes.get(rank), List.of(0, 1, 2, 3, 4, 5, 6, 7), T0, until));
        }
        Instant ended = members.stream().allMatch(member -> member.until() != null) ? T0.plusSeconds(1) : null;
        return new PlacementState(
                ID, TENANT, PROJECT, QUEUE, generation, 1, members, DomainType.RACK, "r1", T0, ended, lost, repairedBy);
    }

    static Map<NodeId, StartDecisions.Address> addresses(int nodes) {
        return addresses(IntStream.range(0, nodes).mapToObj(JobFixture::node).toList());
    }

    static Map<NodeId, StartDecisions.Address> addresses(List<NodeId> nodes) {
        Map<NodeId, StartDecisions.Address> addresses = new TreeMap<>();
        for (int rank = 0; rank < nodes.size(); rank++) {
            addresses.put(nodes.get(rank), new StartDecisions.Address("127.1.0." + rank, 7000, "r" + rank));
        }
        return addresses;
    }

    static RestoreDecision fresh() {
        return new RestoreDecision(RestoreVerdict.FRESH, null, 0, List.of(), "no checkpoint yet");
    }

    /** In preflight on its next generation. */
    static Job inPreflight(Job queued) {
        int nodes = queued.head().spec().gang().nodes();
        return answered(
                StartDecisions.placed(queued, placement(queued.holding().generation() + 1, nodes), T0), fresh());
    }

    /** Told from which checkpoint the attempt that waits for it starts. */
    static Job answered(Job starting, RestoreDecision decision) {
        Attempt attempt = starting.attemptOrThrow();
        return StartDecisions.restoreDecided(
                starting,
                attempt.number(),
                decision,
                addresses(attempt.members().stream().map(Member::node).toList()),
                T0);
    }

    /** Told to run. */
    static Job inRun(Job queued) {
        return toldToRun(inPreflight(queued));
    }

    static Job toldToRun(Job inPreflight) {
        Job job = inPreflight;
        for (Member member : job.attemptOrThrow().members()) {
            job = AttemptDecisions.reported(job, member.node(), passed(job, member), T0);
        }
        return job;
    }

    static Job running(Job queued) {
        return up(inRun(queued));
    }

    static Job up(Job inRun) {
        Job job = inRun;
        for (Member member : job.attemptOrThrow().members()) {
            job = AttemptDecisions.reported(job, member.node(), ranks(job, member, null, -1), T0);
        }
        return job;
    }

    static AttemptReport passed(Job job, Member member) {
        return report(job, MemberPhase.PREFLIGHT_PASSED, member.nodeRank() == 0 ? 29500 : null, List.of());
    }

    /** Too little disk on the second node. */
    static Job preflightFailed(Job job) {
        CheckResult bad = new CheckResult("disk_space", CheckStatus.FAIL, true, "3 GB free, 10 GB needed", 5, T0);
        return AttemptDecisions.reported(job, node(1), failed(job, bad), T0);
    }

    static AttemptReport failed(Job job, CheckResult... checks) {
        return new AttemptReport(
                ID,
                job.attemptOrThrow().number(),
                MemberPhase.PREFLIGHT_FAILED,
                null,
                null,
                List.of(checks),
                List.of(),
                null,
                null,
                null);
    }

    static AttemptReport gone(Job job) {
        return report(job, MemberPhase.GONE, null, List.of());
    }

    static AttemptReport report(Job job, MemberPhase phase, Integer port, List<RankReport> ranks) {
        return new AttemptReport(
                ID, job.attemptOrThrow().number(), phase, port, null, List.of(), ranks, null, null, null);
    }

    /** All ranks of a member up; the one named has ended, or all if it is below 0 and there is an exit. */
    static AttemptReport ranks(Job job, Member member, RankExit exit, int exitedRank) {
        int processes = job.head().spec().processesPerNode();
        List<RankReport> ranks = new ArrayList<>();
        for (int local = 0; local < processes; local++) {
            int rank = member.nodeRank() * processes + local;
            boolean ended = exit != null && (exitedRank < 0 || exitedRank == rank);
            ranks.add(new RankReport(rank, local, 100 + rank, T0, true, ended ? exit : null));
        }
        boolean all = ranks.stream().allMatch(rank -> rank.exit() != null);
        MemberPhase phase = all ? MemberPhase.EXITED : MemberPhase.RUNNING;
        return new AttemptReport(
                ID,
                job.attemptOrThrow().number(),
                phase,
                null,
                all ? null : T0.minusSeconds(5),
                List.of(),
                ranks,
                null,
                null,
                null);
    }

    static RankExit exit(ExitCause cause, int code, String line) {
        return new RankExit(code, cause == ExitCause.SIGNAL ? 9 : null, cause, line, T0);
    }

    static RankExit completed() {
        return exit(ExitCause.COMPLETED, 0, "bye");
    }

    /** What job-service does when the attempt has broken: every node is asked; here each at once shows that this is all. */
    static Job heard(Job job, Instant now) {
        Job next = asked(job);
        for (Member member : job.attemptOrThrow().members()) {
            next = EvidenceBarrier.acknowledged(next, member.node(), 7, now);
        }
        return next;
    }

    static Job asked(Job job) {
        Map<NodeId, Long> revisions = new TreeMap<>();
        job.attemptOrThrow().members().forEach(member -> revisions.put(member.node(), 7L));
        return EvidenceBarrier.asked(job, revisions);
    }

    static Job allGone(Job job, Instant now) {
        Job next = job;
        for (Member member : job.attemptOrThrow().members()) {
            next = AttemptDecisions.reported(next, member.node(), gone(job), now);
        }
        return next;
    }
}

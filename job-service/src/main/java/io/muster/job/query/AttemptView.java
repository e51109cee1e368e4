package io.muster.job.query;

import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankReport;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import io.muster.contract.node.CheckResult;
import io.muster.job.lifecycle.Attempt;
import io.muster.job.lifecycle.AttemptStage;
import io.muster.job.lifecycle.Ending;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One start of a job.
 *
 * @param restore from where it started; null while that is being decided
 * @param ending why it ended, as soon as that is decided
 */
public record AttemptView(
        int attempt,
        int generation,
        AttemptStage stage,
        DomainType level,
        String domain,
        @Nullable RestoredFrom restore,
        @Nullable Ending ending,
        Instant startedAt,
        @Nullable Instant runningAt,
        @Nullable Instant endedAt,
        List<MemberView> members) {

    public record RestoredFrom(
            RestoreVerdict verdict, @Nullable String checkpointId, long step, String message) {}

    /** @param lost the node was taken away by a hold */
    public record MemberView(
            int nodeRank,
            NodeId node,
            List<Integer> gpus,
            @Nullable MemberPhase phase,
            boolean lost,
            List<CheckResult> checks,
            List<RankReport> ranks) {}

    static AttemptView of(Attempt attempt) {
        var restore = attempt.restore();
        return new AttemptView(
                attempt.number(),
                attempt.generation(),
                attempt.stage(),
                attempt.place().level(),
                attempt.place().domain(),
                restore == null
                        ? null
                        : new RestoredFrom(
                                restore.verdict(),
                                restore.checkpointId() == null
                                        ? null
                                        : restore.checkpointId().value(),
                                restore.step(),
                                restore.message()),
                attempt.ending(),
                attempt.course().startedAt(),
                attempt.course().runningAt(),
                attempt.endedAt(),
                attempt.members().stream()
                        .map(member -> new MemberView(
                                member.nodeRank(),
                                member.node(),
                                member.gpus(),
                                member.phase(),
                                member.lost(),
                                member.checks(),
                                member.ranks()))
                        .toList());
    }
}

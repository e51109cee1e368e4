package io.muster.checkpoint.catalog;

import io.muster.checkpoint.member.Refusals;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.problem.Problems;
import java.util.List;
import org.springframework.http.ResponseEntity;

/** How the outcomes of this feature look as HTTP. */
final class CatalogAnswers {

    private CatalogAnswers() {}

    static ResponseEntity<?> of(ShardReport report) {
        return switch (report) {
            case ShardReport.Taken(var answer) -> ResponseEntity.ok(answer);
            case ShardReport.Fenced(var message) -> Refusals.fenced(message);
            case ShardReport.Malformed(var violations) -> malformed(violations);
            case ShardReport.Unknown(var id) ->
                Problems.answer(Problem.of(
                        404,
                        "CHECKPOINT_NOT_FOUND",
                        "There is no such checkpoint",
                        "No checkpoint " + id + " was reserved for this job, attempt and step.",
                        "Reserve the step first, and report with the id of the answer."));
            case ShardReport.Elsewhere(var scope, int rank) ->
                Refusals.conflict(
                        "RANK_ELSEWHERE",
                        "The rank runs on another node",
                        "Node " + scope.from() + " reports rank " + rank + " of the "
                                + scope.checkpoint().worldSize() + " of "
                                + scope.checkpoint().jobId() + "; its own are " + scope.ranks() + ".",
                        "Report the ranks of this node only; if the job has just been placed anew, ask again in a"
                                + " second.",
                        true);
            case ShardReport.Conflict(var id, var known, var told) ->
                Refusals.conflict(
                        "SHARD_CONFLICT",
                        "The rank has stored other bytes",
                        "Rank " + known.rank() + " of " + id + " has stored " + known.sizeBytes()
                                + " bytes with SHA-256 "
                                + known.sha256() + "; now it reports " + told.sizeBytes() + " bytes with "
                                + told.sha256()
                                + ".",
                        "Save the next step; this checkpoint is abandoned unless its first shards become whole.",
                        false);
        };
    }

    static ResponseEntity<?> malformed(List<Violation> violations) {
        return Problems.answer(Problem.of(
                        400,
                        "INVALID_REQUEST",
                        "The request is not right",
                        violations.size() + " things are wrong with the request; nothing was changed.",
                        "Correct every entry of violations.")
                .with(violations));
    }

    static ResponseEntity<?> unknownJob(String id) {
        return Problems.answer(Problem.of(
                404,
                "JOB_NOT_FOUND",
                "There is no such job, or it has not started yet",
                "No job '" + id + "' that you may see has ever started.",
                "GET /api/v1/jobs lists your jobs; checkpoints begin with a job's first attempt."));
    }

    static ResponseEntity<?> unknownCheckpoint(String id) {
        return Problems.answer(Problem.of(
                404,
                "CHECKPOINT_NOT_FOUND",
                "There is no such checkpoint",
                "There is no checkpoint '" + id + "' that you may see.",
                "GET /api/v1/jobs/{id}/checkpoints lists the checkpoints of a job."));
    }
}

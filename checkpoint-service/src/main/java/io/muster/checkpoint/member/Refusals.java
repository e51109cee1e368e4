package io.muster.checkpoint.member;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Problem;
import io.muster.edge.problem.Problems;
import java.util.List;
import org.springframework.http.ResponseEntity;

/** Refusals that every path of the agents has. */
public final class Refusals {

    private Refusals() {}

    /** Retryable: the placement that makes the node a member may be on its way here. */
    public static ResponseEntity<?> notPlacedHere(JobId job, NodeId node, Standing.NotAMember standing) {
        String heard = standing.newestGeneration() == 0
                ? "no placement of it has been heard of yet"
                : "the newest placement heard of is generation " + standing.newestGeneration();
        return conflict(
                "NOT_PLACED_HERE",
                "This node does not speak for the job",
                job + " is not placed on node " + node + ": " + heard + ".",
                "Ask again in a second if the node has just been given the job; else stop asking.",
                true);
    }

    public static ResponseEntity<?> fenced(String message) {
        return conflict(
                "FENCED",
                "A later attempt has begun",
                message + ".",
                "Drop what this attempt has not committed; its ranks are to be stopped.",
                false);
    }

    public static ResponseEntity<?> notBegun(String message) {
        return conflict(
                "ATTEMPT_NOT_BEGUN",
                "The attempt has not been told where to start",
                message + ".",
                "Ask again in a second.",
                true);
    }

    public static ResponseEntity<?> conflict(String code, String title, String detail, String hint, boolean retryable) {
        Problem problem = Problem.of(409, code, title, detail, hint);
        return Problems.answer(new Problem(
                problem.type(), title, problem.status(), code, detail, List.of(), hint, retryable, problem.traceId()));
    }
}

package io.muster.scheduler.visibility;

import io.muster.contract.id.JobId;
import io.muster.contract.problem.Problem;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.edge.problem.Problems;
import io.muster.scheduler.allocation.SequencedPlacement;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What the other services ask. */
@Hidden
@RestController
@RequestMapping("/internal/services")
class SchedulingQuestionsController {

    private static final int MOST_PLACEMENTS = 1000;

    private final ClusterQueries queries;

    SchedulingQuestionsController(ClusterQueries queries) {
        this.queries = queries;
    }

    @PostMapping("/feasibility")
    FeasibilityAnswer feasibility(@RequestBody FeasibilityRequest request) {
        return queries.feasibility(request);
    }

    @GetMapping("/jobs/{job}/explanation")
    ResponseEntity<?> explanation(@PathVariable JobId job) {
        return queries.explanation(job)
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> Problems.answer(notWaiting(job)));
    }

    @GetMapping("/placements")
    List<SequencedPlacement> placements(
            @RequestParam(defaultValue = "0") long after, @RequestParam(defaultValue = "100") int limit) {
        return queries.placementsAfter(after, Math.clamp(limit, 1, MOST_PLACEMENTS));
    }

    private static Problem notWaiting(JobId job) {
        return Problem.of(
                404,
                "NOT_WAITING",
                "The job does not wait for GPUs",
                "Job " + job
                        + " is not in line: the scheduler has not heard of it yet, it has all its GPUs, or it wants none.",
                null);
    }
}

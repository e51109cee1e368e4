package io.muster.scheduler.visibility;

import io.muster.contract.id.QueuePath;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.edge.problem.ProblemException;
import io.muster.edge.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What people ask about the cluster and its queues. */
@Tag(name = "cluster", description = "Capacity, the largest gang that fits, and who waits")
@RestController
@RequestMapping("/api/v1")
class ClusterController {

    private final ClusterQueries queries;

    ClusterController(ClusterQueries queries) {
        this.queries = queries;
    }

    @GetMapping("/cluster/capacity")
    @Operation(
            summary = "GPUs by model: free, spare, held and allocated; nodes by condition",
            description = "Every GPU counts once: allocated while a job holds it, else held while a hold keeps new work"
                    + " away from it, else spare on a node kept for repairs, else free for new jobs.")
    ClusterCapacity capacity() {
        return queries.capacity();
    }

    @GetMapping("/cluster/largest-gang")
    @Operation(
            summary = "The largest gang that could start now, by GPU model and topology level",
            description = "Counted in members of gpusPerNode GPUs each; quota is not looked at.")
    ResponseEntity<?> largestGang(
            @Parameter(description = "GPUs of each member, 1 to 64; by default all of the model's largest node")
                    @RequestParam(required = false)
                    @Nullable
                    Integer gpusPerNode) {
        return gpusPerNode != null && (gpusPerNode < 1 || gpusPerNode > 64)
                ? Problems.answer(outside("gpusPerNode", gpusPerNode, "1 to 64"))
                : ResponseEntity.ok(queries.largestGangs(gpusPerNode));
    }

    @GetMapping("/queues/{queue}/pending")
    @Operation(
            summary = "The jobs that wait in a queue or below it, first in line first",
            description = "Jobs of other tenants are shown by place and size only.")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = PendingPage.class)))
    ResponseEntity<?> pending(
            @Parameter(description = "the queue's path with dots", example = "nlp.pretrain") @PathVariable String queue,
            @RequestParam(defaultValue = "50") int pageSize,
            @RequestParam(required = false) @Nullable String pageToken,
            @Parameter(hidden = true) UserCaller caller) {
        if (pageSize < 1 || pageSize > Page.MAX_SIZE) {
            return Problems.answer(outside("pageSize", pageSize, "1 to " + Page.MAX_SIZE));
        }
        return path(queue)
                .flatMap(path -> queries.pending(path, caller, skip(pageToken), pageSize))
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> Problems.answer(noQueue(queue)));
    }

    /** The shape of a page, for the OpenAPI document. */
    private record PendingPage(
            List<PendingJobs.PendingJob> items, @Nullable String nextPageToken) {}

    private static Optional<QueuePath> path(String dotted) {
        try {
            return Optional.of(QueuePath.of(dotted.replace('.', '/')));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static int skip(@Nullable String pageToken) {
        if (pageToken == null) {
            return 0;
        }
        String last = PageToken.decode(pageToken).lastKey();
        if (!last.matches("[1-9][0-9]{0,8}")) {
            throw new ProblemException(outside("pageToken", pageToken, "nextPageToken of the page before"));
        }
        return Integer.parseInt(last);
    }

    private static Problem outside(String parameter, Object value, String allowed) {
        String message = parameter + " is " + value + "; allowed is " + allowed;
        return Problem.of(400, "INVALID_PARAMETER", "A parameter is not valid", message + ".", null)
                .with(List.of(new Violation("/" + parameter, message, String.valueOf(value), allowed)));
    }

    private static Problem noQueue(String queue) {
        return Problem.of(
                404,
                "UNKNOWN_QUEUE",
                "No such queue",
                "There is no queue '" + queue + "' that you may see.",
                "GET /api/v1/quota/tree lists the queues; write the path with dots, such as nlp.pretrain.");
    }
}

package io.muster.checkpoint.catalog;

import io.muster.edge.identity.UserCaller;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1")
@Tag(name = "Checkpoints", description = "What can be restored")
class CheckpointController {

    private final FindCheckpoints findCheckpoints;

    CheckpointController(FindCheckpoints findCheckpoints) {
        this.findCheckpoints = findCheckpoints;
    }

    @GetMapping("/jobs/{id}/checkpoints")
    @Operation(summary = "The checkpoints of a job, newest first")
    @ApiResponse(responseCode = "200", description = "a page of checkpoints")
    @ApiResponse(
            responseCode = "404",
            description = "JOB_NOT_FOUND: no such job in your tenant, or it has not started yet")
    ResponseEntity<?> ofJob(
            @Parameter(hidden = true) UserCaller caller,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String pageToken,
            @RequestParam(defaultValue = "50") int pageSize) {
        return findCheckpoints
                .ofJob(id, caller, pageToken, pageSize)
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> CatalogAnswers.unknownJob(id));
    }

    @GetMapping("/checkpoints/{id}")
    @Operation(summary = "A checkpoint with its shards")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = CheckpointView.class)))
    @ApiResponse(responseCode = "404", description = "CHECKPOINT_NOT_FOUND")
    ResponseEntity<?> one(@Parameter(hidden = true) UserCaller caller, @PathVariable String id) {
        return findCheckpoints
                .one(id, caller)
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> CatalogAnswers.unknownCheckpoint(id));
    }
}

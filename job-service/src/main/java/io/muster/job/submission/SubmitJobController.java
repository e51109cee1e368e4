package io.muster.job.submission;

import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.Problems;
import io.muster.job.query.JobView;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Submitting a job. */
@Tag(name = "jobs")
@RestController
class SubmitJobController {

    private final SubmitJob submit;

    SubmitJobController(SubmitJob submit) {
        this.submit = submit;
    }

    @Operation(
            summary = "Submit a job",
            description =
                    "Everything that is wrong is said at once. With dryRun=true nothing is stored. The fields are in docs/job-spec.md.",
            requestBody =
                    @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            required = true,
                            content =
                                    @Content(
                                            mediaType = "application/json",
                                            schema = @Schema(type = "object"),
                                            examples = @ExampleObject("""
                            {"name": "llm-7b", "project": "llm", "queue": "nlp/pretrain", "priority": "normal",
                             "runtime": {"command": ["python3", "train.py"], "client": true},
                             "resources": {"nodes": 4, "gpusPerNode": 8},
                             "checkpoint": {"uri": "store://llm-7b", "interval": "20 steps"}}"""))))
    @ApiResponse(
            responseCode = "201",
            description = "stored; Location is the job's path",
            content =
                    @Content(
                            mediaType = "application/json",
                            schema = @Schema(implementation = JobView.class),
                            examples = @ExampleObject("""
                    {"id": "job_01k9x3v7q2m4n8p6r0s1t5w9ya", "name": "llm-7b", "state": "QUEUED", "reason": "SUBMITTED",
                     "message": "waits for 4 nodes", "warnings": []}""")))
    @ApiResponse(responseCode = "200", description = "dryRun=true: effectiveSpec, warnings and feasibility")
    @ApiResponse(responseCode = "400", description = "INVALID_SPEC with every violation")
    @ApiResponse(responseCode = "409", description = "NAME_TAKEN by a live job")
    @ApiResponse(responseCode = "422", description = "NEVER_FITS, or IDEMPOTENCY_KEY_REUSED")
    @PostMapping("/api/v1/jobs")
    ResponseEntity<?> submit(
            UserCaller caller,
            @RequestBody JsonNode body,
            @Parameter(description = "the same key with the same body is the same job for 24 hours")
                    @RequestHeader(name = "Idempotency-Key", required = false)
                    @Nullable
                    String idempotencyKey,
            @RequestParam(defaultValue = "false") boolean dryRun) {
        return switch (submit.submit(caller, body, idempotencyKey, dryRun)) {
            case SubmitJob.Stored(StoredAnswer answer) ->
                ResponseEntity.created(URI.create(JobView.path(answer.job())))
                        .eTag(answer.tag())
                        .contentType(MediaType.APPLICATION_JSON)
                        .body(answer.body());
            case SubmitJob.Checked(DryRun report) -> ResponseEntity.ok(report);
            case SubmitJob.Refused refused -> Problems.answer(refused.problem());
        };
    }
}

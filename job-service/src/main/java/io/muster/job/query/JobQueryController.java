package io.muster.job.query;

import io.muster.contract.scheduling.Explanation;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.job.lifecycle.TimelineEntry;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What people see of their jobs. */
@Tag(name = "jobs")
@RestController
@RequestMapping("/api/v1/jobs")
class JobQueryController {

    private final LookAtJobs jobs;

    JobQueryController(LookAtJobs jobs) {
        this.jobs = jobs;
    }

    @Operation(
            summary = "List jobs, newest first",
            description =
                    "Filters may be combined; state and label may be repeated. Give nextPageToken back as pageToken. "
                            + "With 'Accept: text/event-stream' the page is followed by every change, until the token ends; "
                            + "come back with the last id (docs/streams.md).")
    @Parameter(
            name = "Last-Event-ID",
            in = ParameterIn.HEADER,
            description = "of a stream: the last id; only what changed since is told",
            example = "4711",
            schema = @Schema(type = "string"))
    @ApiResponse(
            responseCode = "200",
            content = {
                @Content(
                        mediaType = "application/json",
                        schema = @Schema(implementation = Page.class),
                        examples = @ExampleObject("""
                    {"items": [{"id": "job_01k9x3v7q2m4n8p6r0s1t5w9ya", "name": "llm-7b", "project": "llm", "queue": "nlp/pretrain",
                     "state": "QUEUED", "reason": "SUBMITTED", "message": "waits for 4 nodes", "nodes": 4, "gpus": 32}], "nextPageToken": null}""")),
                @Content(
                        mediaType = "text/event-stream",
                        schema = @Schema(type = "string"),
                        examples = @ExampleObject("""
                    id: 4711
                    event: job
                    data: {"id": "job_01k9x3v7q2m4n8p6r0s1t5w9ya", "name": "llm-7b", "state": "RUNNING"}
                    """))
            })
    @ApiResponse(responseCode = "429", description = "this key has as many streams open as one key may")
    @ApiResponse(responseCode = "503", description = "as many streams are open as this instance serves")
    @GetMapping
    ResponseEntity<?> list(
            UserCaller caller,
            @Parameter(example = "RUNNING") @RequestParam(defaultValue = "") List<String> state,
            @Parameter(example = "nlp/pretrain") @RequestParam @Nullable String queue,
            @Parameter(example = "llm") @RequestParam @Nullable String project,
            @Parameter(example = "team:nlp") @RequestParam(defaultValue = "") List<String> label,
            @Parameter(example = "50") @RequestParam @Nullable String pageSize,
            @RequestParam @Nullable String pageToken) {
        JobFilter.Outcome filter = JobFilter.of(state, queue, project, label, pageSize);
        return jobs.list(caller, filter, pageToken).answer(ResponseEntity::ok);
    }

    @Operation(
            summary = "Show a job",
            description =
                    "With state, reason, placement, progress, result and effectiveSpec. Send If-None-Match to be told 304. "
                            + "With 'Accept: text/event-stream' the job is told again with every change, until it has ended "
                            + "or the token ends; come back with the last id (docs/streams.md).")
    @Parameter(
            name = "Last-Event-ID",
            in = ParameterIn.HEADER,
            description = "of a stream: the last id; only what changed since is told",
            example = "4711",
            schema = @Schema(type = "string"))
    @ApiResponse(
            responseCode = "200",
            content = {
                @Content(
                        mediaType = "application/json",
                        schema = @Schema(implementation = JobView.class),
                        examples = @ExampleObject("""
                    {"id": "job_01k9x3v7q2m4n8p6r0s1t5w9ya", "name": "llm-7b", "state": "RUNNING", "reason": "ALL_RANKS_UP",
                     "message": "all 4 processes of attempt 1 are up", "attempt": 1, "generation": 1,
                     "progress": {"step": 120, "totalSteps": 1000, "metrics": {"loss": 1.5}, "at": "2026-11-29T12:00:00Z"}}""")),
                @Content(
                        mediaType = "text/event-stream",
                        schema = @Schema(type = "string"),
                        examples = @ExampleObject("""
                    id: 4711-end
                    event: end
                    data: {"reason": "ENDED", "message": "The job is SUCCEEDED; nothing more will happen to it."}
                    """))
            })
    @ApiResponse(responseCode = "204", description = "a stream that has told of the job's end before")
    @ApiResponse(responseCode = "404", description = "no such job, or it is another tenant's")
    @GetMapping("/{id}")
    ResponseEntity<?> show(UserCaller caller, @PathVariable String id) {
        return jobs.job(caller, id)
                .answer(found -> ResponseEntity.ok().eTag(found.tag()).body(found.job()));
    }

    @Operation(summary = "Show a job's history", description = "Every state it was in, from when to when, and why.")
    @ApiResponse(
            responseCode = "200",
            content =
                    @Content(
                            mediaType = "application/json",
                            schema = @Schema(implementation = Timeline.class),
                            examples = @ExampleObject("""
                    {"items": [{"state": "QUEUED", "reason": "SUBMITTED", "message": "waits for 4 nodes", "attempt": 0, "generation": 0,
                     "since": "2026-11-29T12:00:00Z", "until": "2026-11-29T12:00:01Z"}]}""")))
    @GetMapping("/{id}/timeline")
    ResponseEntity<?> timeline(UserCaller caller, @PathVariable String id) {
        return jobs.timeline(caller, id).answer(entries -> ResponseEntity.ok(new Timeline(entries)));
    }

    @Operation(
            summary = "Show a job's attempts",
            description = "Every start with its members, checks, ranks and exits, and from which checkpoint it began.")
    @ApiResponse(
            responseCode = "200",
            content =
                    @Content(
                            mediaType = "application/json",
                            schema = @Schema(implementation = Attempts.class),
                            examples = @ExampleObject("""
                    {"items": [{"attempt": 1, "generation": 1, "stage": "ENDED", "level": "RACK", "domain": "r1",
                     "ending": {"follow": "SUCCEED", "reason": "COMPLETED", "message": "all 4 processes ended with exit code 0"}}]}""")))
    @GetMapping("/{id}/attempts")
    ResponseEntity<?> attempts(UserCaller caller, @PathVariable String id) {
        return jobs.attempts(caller, id).answer(attempts -> ResponseEntity.ok(new Attempts(attempts)));
    }

    @Operation(
            summary = "Show where a job's GPU time went",
            description =
                    "In GPU-milliseconds, for the job and for each attempt. Useful training, checkpoint stall, restart "
                            + "(coming up and being cleared away), recompute (training that was lost and done again) and held idle "
                            + "sum to the held time exactly; what is still held counts until asOf.")
    @ApiResponse(
            responseCode = "200",
            content =
                    @Content(
                            mediaType = "application/json",
                            schema = @Schema(implementation = WasteView.class),
                            examples = @ExampleObject("""
                    {"job": "job_01k9x3v7q2m4n8p6r0s1t5w9ya", "asOf": "2026-11-29T12:10:00Z",
                     "total": {"heldGpuMillis": 19200000, "usefulGpuMillis": 18000000, "checkpointStallGpuMillis": 8000,
                      "restartGpuMillis": 640000, "recomputeGpuMillis": 480000, "heldIdleGpuMillis": 72000}}""")))
    @GetMapping("/{id}/waste")
    ResponseEntity<?> waste(UserCaller caller, @PathVariable String id) {
        return jobs.waste(caller, id).answer(ResponseEntity::ok);
    }

    @Operation(
            summary = "Explain why a job does not run",
            description = "While it is QUEUED: the scheduler's reason with numbers and a hint. Else what it is doing.")
    @ApiResponse(
            responseCode = "200",
            content =
                    @Content(
                            mediaType = "application/json",
                            schema = @Schema(implementation = Explanation.class),
                            examples = @ExampleObject("""
                    {"reason": "WAITING_FOR_GPUS", "category": "WAIT", "numbers": {"requestedGpus": 32, "freeGpus": 8},
                     "sentence": "requested 32 GPUs on 4 nodes, 1 node is free", "hint": "Wait, or lower resources.nodes."}""")))
    @GetMapping("/{id}/explanation")
    ResponseEntity<?> explanation(UserCaller caller, @PathVariable String id) {
        return jobs.explanation(caller, id).answer(ResponseEntity::ok);
    }

    @Operation(
            summary = "Cancel a job",
            description =
                    "A queued job ends at once; a running one is STOPPING until every process is gone. May be repeated.")
    @ApiResponse(
            responseCode = "202",
            content =
                    @Content(
                            mediaType = "application/json",
                            schema = @Schema(implementation = JobView.class),
                            examples = @ExampleObject("""
                    {"id": "job_01k9x3v7q2m4n8p6r0s1t5w9ya", "state": "STOPPING", "reason": "CANCELLED_BY_USER",
                     "message": "cancelled on request"}""")))
    @PostMapping("/{id}/cancel")
    ResponseEntity<?> cancel(UserCaller caller, @PathVariable String id) {
        return jobs.cancel(caller, id)
                .answer(found -> ResponseEntity.accepted().eTag(found.tag()).body(found.job()));
    }

    record Timeline(List<TimelineEntry> items) {}

    record Attempts(List<AttemptView> items) {}
}

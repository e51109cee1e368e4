package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultState;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.problem.Problems;
import io.muster.health.fault.FaultQuery.Filter;
import io.muster.health.fault.FaultQuery.PhaseTimes;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Tag(name = "faults", description = "What broke, what it touched, what was done and what comes next")
class FaultController {

    private final FaultQuery faults;
    private final Clock clock;

    FaultController(FaultQuery faults, Clock clock) {
        this.faults = faults;
        this.clock = clock;
    }

    @GetMapping("/api/v1/faults")
    @Operation(
            operationId = "listFaults",
            summary = "List faults",
            description =
                    "The newest first, of the last 30 days. Tenants see those that touched their jobs, without the"
                            + " jobs of others; SRE and ADMIN see all. With 'Accept: text/event-stream' the page is"
                            + " followed by every change, until the token ends; come back with the last id"
                            + " (docs/streams.md).")
    @Parameter(
            name = "Last-Event-ID",
            in = ParameterIn.HEADER,
            description = "of a stream: the last id; only what changed since is told",
            example = "4711",
            schema = @Schema(type = "string"))
    @ApiResponse(
            responseCode = "200",
            description = "A page of faults, or a stream of them",
            content = {
                @Content(mediaType = "application/json", schema = @Schema(implementation = Page.class)),
                @Content(
                        mediaType = "text/event-stream",
                        schema = @Schema(type = "string"),
                        examples = @ExampleObject("""
                    id: 4711
                    event: fault
                    data: {"faultId": "fault_01k9x3v7q2m4n8p6r0s1t5w9ya", "layer": "NODE", "status": "OPEN"}
                    """))
            })
    @ApiResponse(responseCode = "429", description = "This key has as many streams open as one key may")
    @ApiResponse(responseCode = "503", description = "As many streams are open as this instance serves")
    Page<FaultState> list(
            @Parameter(hidden = true) UserCaller caller,
            @RequestParam(required = false) @Nullable FaultStatus status,
            @RequestParam(required = false) @Nullable FaultLayer layer,
            @Parameter(schema = @Schema(type = "string"), example = "r1-n2") @RequestParam(required = false) @Nullable
                    NodeId node,
            @Parameter(schema = @Schema(type = "string")) @RequestParam(required = false) @Nullable JobId job,
            @Parameter(description = "nextPageToken of the page before") @RequestParam(required = false) @Nullable
                    String after,
            @Parameter(description = "1 to 500") @RequestParam(defaultValue = "50") int limit) {
        return faults.page(caller, new Filter(status, layer, node, job), after, Math.clamp(limit, 1, Page.MAX_SIZE));
    }

    @GetMapping("/api/v1/faults/{id}")
    @Operation(operationId = "getFault", summary = "Look at a fault", description = "With its actions and phases.")
    @ApiResponse(
            responseCode = "200",
            description = "The fault",
            content = @Content(schema = @Schema(implementation = FaultState.class)))
    @ApiResponse(
            responseCode = "404",
            description = "No such fault",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> get(@Parameter(hidden = true) UserCaller caller, @PathVariable String id) {
        return faults.find(caller, id)
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> Problems.answer(Problem.of(
                        404,
                        "FAULT_UNKNOWN",
                        "No such fault",
                        "Fault " + id + " is not known, or it touched none of your jobs.",
                        "GET /api/v1/faults lists the faults of the last 30 days.")));
    }

    @GetMapping("/api/v1/faults/phases")
    @Operation(
            operationId = "getFaultPhases",
            summary = "How long recoveries take",
            description = "From the last good moment to the end of each phase, by layer: p50, p95 and the longest.")
    @ApiResponse(responseCode = "200", description = "By layer, the phases in their order")
    List<PhaseTimes> phases(
            @Parameter(hidden = true) UserCaller caller,
            @Parameter(description = "of the last days, 1 to 30") @RequestParam(defaultValue = "30") int days) {
        return faults.phases(caller, clock.instant().minus(Duration.ofDays(Math.clamp(days, 1, 30))));
    }
}

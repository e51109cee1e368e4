package io.muster.quota.ledger;

import io.muster.contract.id.TenantId;
import io.muster.edge.identity.UserCaller;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1")
@Tag(name = "Usage", description = "What was held, and the bills made of it")
class UsageController {

    private final Ledger ledger;

    UsageController(Ledger ledger) {
        this.ledger = ledger;
    }

    @GetMapping(path = "/usage", produces = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "GPU time held, by tenant, project, queue or job",
            description = "Of the caller's tenant; ADMIN and SRE see all. Accept: text/csv gives the lines as CSV."
                    + " Without from and to: the last 30 days.")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = UsageReport.class)))
    ResponseEntity<?> usage(
            @Parameter(hidden = true) UserCaller caller,
            @RequestParam(defaultValue = "project") String groupBy,
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String to) {
        return UsageAnswers.json(ledger.usage(groupBy, from, to, scope(caller)));
    }

    @GetMapping(path = "/usage", produces = UsageAnswers.CSV)
    @Operation(summary = "The same as CSV")
    ResponseEntity<?> usageAsCsv(
            @Parameter(hidden = true) UserCaller caller,
            @RequestParam(defaultValue = "project") String groupBy,
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String to) {
        return UsageAnswers.csv(ledger.usage(groupBy, from, to, scope(caller)));
    }

    @GetMapping("/jobs/{id}/cost")
    @Operation(summary = "The bill of a job: every interval in which it held GPUs")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = JobCost.class)))
    @ApiResponse(
            responseCode = "404",
            description = "JOB_NOT_FOUND: no such job in your tenant, or it has held nothing yet")
    ResponseEntity<?> cost(@Parameter(hidden = true) UserCaller caller, @PathVariable String id) {
        return UsageAnswers.job(id)
                .flatMap(job -> ledger.cost(job, scope(caller)))
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> UsageAnswers.unknownJob(id));
    }

    private static @Nullable TenantId scope(UserCaller caller) {
        return caller.seesAllTenants() ? null : caller.tenant();
    }
}

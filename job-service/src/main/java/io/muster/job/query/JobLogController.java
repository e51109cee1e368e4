package io.muster.job.query;

import io.muster.edge.identity.UserCaller;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What the ranks of a job have printed. Requests run on virtual threads, so one that follows a log only waits. */
@Tag(name = "jobs")
@RestController
class JobLogController {

    private final ReadLog logs;

    JobLogController(ReadLog logs) {
        this.logs = logs;
    }

    @Operation(
            summary = "Read the log of a rank",
            description = "Plain text, also after the end. follow=true goes on until the attempt has ended.")
    @ApiResponse(
            responseCode = "200",
            content =
                    @Content(
                            mediaType = "text/plain",
                            examples = @ExampleObject("step 1 loss 2.31\nstep 2 loss 2.17\n")))
    @GetMapping("/api/v1/jobs/{id}/logs")
    void log(
            UserCaller caller,
            @PathVariable String id,
            @Parameter(description = "default: the newest", example = "1") @RequestParam @Nullable Integer attempt,
            @Parameter(example = "0") @RequestParam(defaultValue = "0") int rank,
            @RequestParam(defaultValue = "false") boolean follow,
            @Parameter(description = "only the last so many lines", example = "100") @RequestParam @Nullable
                    Integer tail,
            HttpServletResponse response)
            throws IOException {
        logs.read(caller, id, new ReadLog.Wanted(attempt, rank, follow, tail), response);
    }
}

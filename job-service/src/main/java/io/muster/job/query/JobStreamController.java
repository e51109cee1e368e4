package io.muster.job.query;

import io.muster.edge.identity.UserCaller;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The other form of {@link JobQueryController}'s paths, for whoever names it in Accept; described there. */
@Hidden
@RestController
@RequestMapping(path = "/api/v1/jobs", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
class JobStreamController {

    private static final String LAST_EVENT_ID = "Last-Event-ID";

    private final FollowJobs jobs;

    JobStreamController(FollowJobs jobs) {
        this.jobs = jobs;
    }

    @GetMapping
    void list(
            UserCaller caller,
            @RequestParam(defaultValue = "") List<String> state,
            @RequestParam @Nullable String queue,
            @RequestParam @Nullable String project,
            @RequestParam(defaultValue = "") List<String> label,
            @RequestParam @Nullable String pageSize,
            @RequestHeader(name = LAST_EVENT_ID) @Nullable String lastEventId,
            HttpServletResponse response)
            throws IOException {
        jobs.list(caller, JobFilter.of(state, queue, project, label, pageSize), lastEventId, response);
    }

    @GetMapping("/{id}")
    void job(
            UserCaller caller,
            @PathVariable String id,
            @RequestHeader(name = LAST_EVENT_ID) @Nullable String lastEventId,
            HttpServletResponse response)
            throws IOException {
        jobs.job(caller, id, lastEventId, response);
    }
}

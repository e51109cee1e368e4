package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.edge.identity.UserCaller;
import io.muster.health.fault.FaultQuery.Filter;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The other form of {@link FaultController}'s list, for whoever names it in Accept; described there. */
@Hidden
@RestController
class FaultStreamController {

    private final FollowFaults faults;

    FaultStreamController(FollowFaults faults) {
        this.faults = faults;
    }

    @GetMapping(path = "/api/v1/faults", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    void list(
            UserCaller caller,
            @RequestParam(required = false) @Nullable FaultStatus status,
            @RequestParam(required = false) @Nullable FaultLayer layer,
            @RequestParam(required = false) @Nullable NodeId node,
            @RequestParam(required = false) @Nullable JobId job,
            @RequestParam(defaultValue = "50") int limit,
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            HttpServletResponse response)
            throws IOException {
        faults.list(caller, new Filter(status, layer, node, job), limit, lastEventId, response);
    }
}

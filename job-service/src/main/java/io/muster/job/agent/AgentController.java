package io.muster.job.agent;

import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.edge.identity.NodeCaller;
import io.muster.job.lifecycle.AgentReports;
import io.muster.job.lifecycle.DesiredStates;
import io.swagger.v3.oas.annotations.Hidden;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The door for the agent of one node: what it shall do, and what it says it has. Requests run on virtual threads, so a long poll only waits. */
@Hidden
@RestController
@RequestMapping("/internal/agents/{node}")
class AgentController {

    private static final int LONGEST_WAIT_SECONDS = 30;

    private final DesiredStates desired;
    private final AgentReports reports;

    AgentController(DesiredStates desired, AgentReports reports) {
        this.desired = desired;
        this.reports = reports;
    }

    @GetMapping("/desired")
    DesiredState desired(
            NodeCaller caller,
            @RequestParam(defaultValue = "-1") long revision,
            @RequestParam(defaultValue = "0") int waitSeconds) {
        int seconds = Math.clamp(waitSeconds, 0, LONGEST_WAIT_SECONDS);
        return desired.await(caller.node(), revision, Duration.ofSeconds(seconds));
    }

    @PostMapping("/report")
    ReportAnswer report(NodeCaller caller, @RequestBody NodeReport report) {
        return reports.take(caller.node(), report);
    }
}

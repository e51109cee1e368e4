package io.muster.health.preflight;

import io.muster.contract.node.PreflightReport;
import io.muster.edge.identity.NodeCaller;
import io.muster.edge.problem.Problems;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Hidden
class PreflightReportController {

    private final PreflightReports reports;

    PreflightReportController(PreflightReports reports) {
        this.reports = reports;
    }

    @PostMapping("/internal/agents/{node}/preflight")
    ResponseEntity<?> report(NodeCaller caller, @RequestBody PreflightReport report) {
        return switch (reports.take(caller.node(), report)) {
            case ReportAnswer.Taken() -> ResponseEntity.noContent().build();
            case ReportAnswer.Refused(var problem) -> Problems.answer(problem);
        };
    }
}

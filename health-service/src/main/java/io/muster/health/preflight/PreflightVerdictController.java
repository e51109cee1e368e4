package io.muster.health.preflight;

import io.muster.contract.id.JobId;
import io.muster.contract.node.PreflightVerdict;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Hidden
class PreflightVerdictController {

    private final PreflightReports reports;

    PreflightVerdictController(PreflightReports reports) {
        this.reports = reports;
    }

    @GetMapping("/internal/services/preflights/{job}/{attempt}/verdict")
    PreflightVerdict verdict(@PathVariable JobId job, @PathVariable int attempt) {
        return reports.verdict(job, attempt);
    }
}

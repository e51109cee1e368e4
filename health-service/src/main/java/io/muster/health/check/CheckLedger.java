package io.muster.health.check;

import io.micrometer.core.instrument.MeterRegistry;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import java.util.List;
import org.springframework.stereotype.Component;

/** The latest result of every check of every node, for people; decisions are made from what has just arrived. */
@Component
public class CheckLedger {

    private final CheckResultRepository repository;
    private final MeterRegistry meters;

    CheckLedger(CheckResultRepository repository, MeterRegistry meters) {
        this.repository = repository;
        this.meters = meters;
    }

    public void record(NodeId node, long session, List<CheckResult> results) {
        for (CheckResult result : results) {
            // names that we do not know must not become labels
            String check =
                    TierACheck.named(result.check()).map(TierACheck::checkName).orElse("other");
            meters.counter(
                            "muster.check.results",
                            "check",
                            check,
                            "status",
                            result.status().name())
                    .increment();
        }
        repository.put(node, session, results);
    }

    public List<CheckResult> of(NodeId node) {
        return repository.of(node);
    }
}

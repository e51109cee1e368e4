package io.muster.agent.desired;

import io.muster.contract.agent.AttemptReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The reports that can be written. One that cannot be, because of what its ranks said, goes without those words; one
 * that cannot be even so is left out and said in the log. The other attempts are told of in any case.
 */
final class Writable {

    private static final Logger LOG = LoggerFactory.getLogger(Writable.class);

    private Writable() {}

    static List<AttemptReport> of(List<AttemptReport> reports, JsonMapper json) {
        List<AttemptReport> writable = new ArrayList<>();
        for (AttemptReport report : reports) {
            obstacle(report, json)
                    .ifPresentOrElse(
                            why -> {
                                LOG.error(
                                        "report of {}/{} cannot be written: {}; it goes without progress and result",
                                        report.jobId(),
                                        report.attempt(),
                                        why);
                                AttemptReport bare = withoutWords(report);
                                if (obstacle(bare, json).isEmpty()) {
                                    writable.add(bare);
                                }
                            },
                            () -> writable.add(report));
        }
        return writable;
    }

    private static AttemptReport withoutWords(AttemptReport report) {
        return new AttemptReport(
                report.jobId(),
                report.attempt(),
                report.phase(),
                report.offeredMasterPort(),
                report.allAlive(),
                report.checks(),
                report.ranks(),
                null,
                null,
                report.damagedCheckpoint());
    }

    private static Optional<String> obstacle(AttemptReport report, JsonMapper json) {
        try {
            json.writeValueAsBytes(report);
            return Optional.empty();
        } catch (JacksonException impossible) {
            return Optional.of(String.valueOf(impossible.getOriginalMessage()));
        }
    }
}

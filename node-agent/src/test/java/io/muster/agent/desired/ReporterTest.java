package io.muster.agent.desired;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.NodeReport;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReporterTest {

    /** What is looked at while a newer revision arrives may be older than it, so it does not acknowledge it. */
    @Test
    void aRevisionTakenInWhileTheEvidenceIsLookedAtIsNotAcknowledgedByIt() {
        AtomicLong takenIn = new AtomicLong(7);
        NodeReport report = Reporter.looked(3, "inc-1", takenIn::get, () -> {
            takenIn.set(8);
            return List.of();
        });
        assertThat(report.acknowledgedRevision()).isEqualTo(7);
    }
}

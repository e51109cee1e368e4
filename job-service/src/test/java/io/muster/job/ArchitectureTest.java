package io.muster.job;

import io.muster.testing.MusterArchitecture;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void theHouseRulesHold() {
        MusterArchitecture.verify(MusterArchitecture.production("io.muster.job"), "io.muster.job");
    }
}

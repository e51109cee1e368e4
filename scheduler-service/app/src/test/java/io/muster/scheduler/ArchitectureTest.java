package io.muster.scheduler;

import io.muster.testing.MusterArchitecture;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void houseRulesHold() {
        MusterArchitecture.verify(MusterArchitecture.production("io.muster.scheduler"), "io.muster.scheduler");
    }
}

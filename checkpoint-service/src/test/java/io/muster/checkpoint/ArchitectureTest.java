package io.muster.checkpoint;

import io.muster.testing.MusterArchitecture;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void theHouseRulesHold() {
        MusterArchitecture.verify(MusterArchitecture.production("io.muster.checkpoint"), "io.muster.checkpoint");
    }
}

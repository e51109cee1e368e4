package io.muster.quota;

import io.muster.testing.MusterArchitecture;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void theHouseRulesHold() {
        MusterArchitecture.verify(MusterArchitecture.production("io.muster.quota"), "io.muster.quota");
    }
}

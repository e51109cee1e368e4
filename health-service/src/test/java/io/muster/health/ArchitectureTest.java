package io.muster.health;

import io.muster.testing.MusterArchitecture;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void theHouseRulesHold() {
        MusterArchitecture.verify(MusterArchitecture.production("io.muster.health"), "io.muster.health");
    }
}

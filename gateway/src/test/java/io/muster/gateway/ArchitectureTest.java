package io.muster.gateway;

import io.muster.testing.MusterArchitecture;
import org.junit.jupiter.api.Test;

final class ArchitectureTest {

    @Test
    void theHouseRulesHold() {
        MusterArchitecture.verify(MusterArchitecture.production("io.muster.gateway"), "io.muster.gateway");
    }
}

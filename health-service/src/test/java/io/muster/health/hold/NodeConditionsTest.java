package io.muster.health.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.health.TestNodes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeConditionsTest {

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(textBlock = """
                    '',                                                         HEALTHY
                    NODE/EVICT/LEASE_EXPIRED,                                   QUARANTINED
                    DOMAIN/EVICT/POWER_LOST,                                    QUARANTINED
                    NODE/NO_NEW_WORK/ADMISSION,                                 VALIDATING
                    NODE/NO_NEW_WORK/CHECK_FAILED,                              SUSPECT
                    NODE/NO_NEW_WORK/PREFLIGHT_FAILED,                          SUSPECT
                    NODE/NO_NEW_WORK/CORDONED,                                  DRAINING
                    NODE/DRAIN/ANY,                                             DRAINING
                    NODE/SMALL_ONLY/ANY,                                        PROBATION
                    GPU/NO_NEW_WORK/GPU_VETOED,                                 SUSPECT
                    GPU/EVICT/ANY,                                              SUSPECT
                    NODE/NO_NEW_WORK/CORDONED+NODE/EVICT/LEASE_EXPIRED,         QUARANTINED
                    NODE/EVICT/LEASE_EXPIRED+NODE/NO_NEW_WORK/ADMISSION,        QUARANTINED
                    NODE/NO_NEW_WORK/ADMISSION+NODE/NO_NEW_WORK/CHECK_FAILED,   VALIDATING
                    NODE/NO_NEW_WORK/CORDONED+NODE/NO_NEW_WORK/CHECK_FAILED,    SUSPECT
                    NODE/SMALL_ONLY/ANY+NODE/NO_NEW_WORK/CORDONED,              DRAINING
                    GPU/NO_NEW_WORK/GPU_VETOED+NODE/NO_NEW_WORK/CORDONED,       SUSPECT
                    """)
    void isTheWorstOpenCause(String holds, NodeCondition expected) {
        List<Hold> open = Arrays.stream(holds.split("\\+", -1))
                .filter(text -> !text.isEmpty())
                .map(NodeConditionsTest::hold)
                .toList();

        assertThat(NodeConditions.derive(open)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void doesNotDependOnTheOrderOfHolds(long seed) {
        Random random = new Random(seed);
        List<Hold> open = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(6); i++) {
            open.add(new Hold(
                    "hold_" + i,
                    HoldScope.values()[random.nextInt(3)],
                    "x",
                    HoldEffect.values()[random.nextInt(4)],
                    HoldCause.values()[random.nextInt(HoldCause.values().length)].name(),
                    "why",
                    "health",
                    1,
                    TestNodes.NOON,
                    null));
        }
        NodeCondition first = NodeConditions.derive(open);
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(open, random);
            assertThat(NodeConditions.derive(open)).isEqualTo(first);
        }
    }

    private static Hold hold(String text) {
        String[] part = text.split("/", -1);
        return new Hold(
                "hold_1",
                HoldScope.valueOf(part[0]),
                "x",
                HoldEffect.valueOf(part[1]),
                part[2],
                "why",
                "health",
                1,
                TestNodes.NOON,
                null);
    }
}

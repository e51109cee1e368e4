package io.muster.health.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a silence means, whatever the phases of the heartbeats are. */
class LossJudgeTest {

    private static NodeId node(String name) {
        return new NodeId(name);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void oneDeadNodeIsLostByItselfSoonAfterItsLease(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.dead.add(node("r1-n2"));
        cluster.runs(10_000);

        assertThat(cluster.told()).containsExactly("node 1");
        assertThat(cluster.lost()).containsExactly(node("r1-n2"));
        assertThat(cluster.lastTime()).isBetween(12_000L, 14_000L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aRackOfHalfTheClusterIsOneDomainWithinSecondsAfterItsLease(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.dead.addAll(cluster.rack("r1"));
        cluster.runs(20_000);

        assertThat(cluster.told().getFirst()).startsWith("opened ");
        assertThat(cluster.told().subList(1, 3)).containsExactly("rack/r1 4", "closed 0 4");
        assertThat(cluster.lost()).containsExactlyInAnyOrderElementsOf(cluster.rack("r1"));
        assertThat(cluster.lastTime()).isLessThan(10_000 + LossScenario.LEASE + 6_000);
        assertThat(cluster.incidentOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aWholeRackOfALargeClusterIsOneDomainWithoutAnIncident(long seed) {
        LossScenario cluster = new LossScenario(seed, 10, 4).runs(5_000);
        cluster.dead.addAll(cluster.rack("r3"));
        cluster.runs(10_000);

        assertThat(cluster.told()).containsExactly("rack/r3 4");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void twoRacksOfOnePowerDomainAreOneLossOfPower(long seed) {
        LossScenario cluster = new LossScenario(seed, 10, 4).runs(5_000);
        cluster.dead.addAll(cluster.rack("r3"));
        cluster.dead.addAll(cluster.rack("r4"));
        cluster.runs(10_000);

        assertThat(cluster.told()).containsExactly("power/w2 8");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aFewOfARackAreLostNodeByNode(long seed) {
        LossScenario cluster = new LossScenario(seed, 10, 4).runs(5_000);
        cluster.dead.addAll(List.of(node("r3-n1"), node("r3-n2"), node("r7-n4")));
        cluster.runs(10_000);

        assertThat(cluster.told()).containsExactly("node 1", "node 1", "node 1");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aMassOverSeveralRacksIsProvenAndThenLostNodeByNode(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.dead.addAll(List.of(node("r1-n1"), node("r1-n2"), node("r2-n1")));
        cluster.runs(20_000);

        assertThat(cluster.told()).hasSize(5).startsWith("opened 3").endsWith("closed 0 3");
        assertThat(cluster.told().subList(1, 4)).containsExactly("node 1", "node 1", "node 1");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whileNobodyIsHeardItStaysAnIncidentAndNobodyIsLost(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.deaf = true;
        cluster.runs(600_000);
        assertThat(cluster.told()).containsExactly("opened 8");
        assertThat(cluster.incidentOpen()).isTrue();

        cluster.deaf = false;
        cluster.runs(10_000);
        assertThat(cluster.told()).containsExactly("opened 8", "closed 8 0");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aNodeThatDiedWhileNobodyWasHeardIsFoundAfterwards(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.deaf = true;
        cluster.dead.add(node("r2-n3"));
        cluster.runs(60_000);
        cluster.deaf = false;
        cluster.runs(20_000);

        assertThat(cluster.told()).containsExactly("opened 8", "node 1", "closed 7 1");
        assertThat(cluster.lost()).containsExactly(node("r2-n3"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aRackThatOthersReachIsNotLostHoweverLongItIsUnheard(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.unheard.addAll(cluster.rack("r1"));
        cluster.runs(600_000);
        assertThat(cluster.lost()).isEmpty();
        assertThat(cluster.incidentOpen()).isTrue();

        cluster.unheard.clear();
        cluster.runs(5_000);
        assertThat(cluster.told()).containsExactly("opened 4", "closed 4 0");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatDiesWhileItIsUnheardIsLostThen(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.unheard.addAll(cluster.rack("r1"));
        cluster.runs(60_000);
        cluster.dead.addAll(cluster.rack("r1"));
        cluster.runs(20_000);

        assertThat(cluster.told()).contains("rack/r1 4").endsWith("closed 0 4");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void oneBlindArbiterCondemnsNobody(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.unheard.addAll(cluster.rack("r1"));
        cluster.blind.add(node("r2-n2"));
        cluster.runs(120_000);

        assertThat(cluster.lost()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aProcessThatStoodStillLosesNobody(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        for (int i = 0; i < 20; i++) {
            cluster.stands(4_000).runs(1_500);
        }
        cluster.runs(20_000);

        assertThat(cluster.verdicts).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aTakeoverRestartsAllLeasesAlsoInAnIncident(long seed) {
        LossScenario cluster = new LossScenario(seed, 2, 4).runs(10_000);
        cluster.deaf = true;
        cluster.runs(10_000);
        assertThat(cluster.incidentOpen()).isTrue();
        cluster.takesOver();
        assertThat(cluster.incidentOpen()).isFalse();
        cluster.deaf = false;
        cluster.runs(20_000);

        assertThat(cluster.told()).containsExactly("opened 8");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aLivingNodeIsNeverLostAndADeadOneAlwaysWhateverHappens(long seed) {
        Random random = new Random(seed);
        LossScenario cluster = new LossScenario(seed, 1 + random.nextInt(6), 2 + random.nextInt(6));
        List<NodeId> all = List.copyOf(cluster.nodes());
        Set<NodeId> everDead = new TreeSet<>();
        for (int step = 0; step < 40; step++) {
            switch (random.nextInt(6)) {
                case 0 -> cluster.stands(600 + random.nextInt(20_000));
                case 1 -> cluster.deaf = !cluster.deaf;
                case 2 -> cluster.unheard.add(all.get(random.nextInt(all.size())));
                case 3 -> cluster.unheard.clear();
                case 4 -> {
                    NodeId node = all.get(random.nextInt(all.size()));
                    if (everDead.size() < all.size() - 1) {
                        cluster.dead.add(node);
                        everDead.add(node);
                    }
                }
                default -> cluster.runs(random.nextInt(6_000));
            }
            cluster.runs(250L * (1 + random.nextInt(20)));
        }
        cluster.deaf = false;
        cluster.unheard.clear();
        cluster.runs(60_000);

        assertThat(cluster.lost()).as("seed %d", seed).containsAll(everDead);
        assertThat(cluster.lost())
                .as("seed %d", seed)
                .allMatch(node -> everDead.contains(node) || cluster.everUnheard.contains(node));
        assertThat(cluster.namedMoreThanOnce()).isZero();
        assertThat(cluster.incidentOpen()).isFalse();
    }
}

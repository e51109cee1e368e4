package io.muster.checkpoint.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.node.KnownNode;
import io.muster.contract.id.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SafetyRulesTest {

    private final Map<NodeId, KnownNode> nodes = new TreeMap<>();
    private final Map<Integer, ShardCopies> shards = new TreeMap<>();

    SafetyRulesTest() {
        node("a1", 7, "ra", "wa", null);
        node("a2", 7, "ra", "wa", null);
        node("b1", 7, "rb", "wb", null);
        node("c1", 7, "rc", "wa", null);
    }

    @Test
    void everyRankInTwoRacksIsPeerAndEveryRankInTheStoreIsDurable() {
        shard(0, null, "a1", "b1");
        shard(1, null, "b1", "a2");
        assertThat(judged(2)).isEqualTo(new Safety.Peer());
        shard(1, "path", "b1");
        assertThat(judged(2)).as("the store counts as a domain").isEqualTo(new Safety.Peer());
        shard(0, "path");
        assertThat(judged(2)).isEqualTo(new Safety.Durable());
        assertThat(judged(3)).isEqualTo(new Safety.Incomplete());
    }

    @Test
    void twoCopiesInOneRackOrOnOnePowerDomainAreNotSafeAndBothNodesAreNamed() {
        shard(0, null, "a1", "a2");
        assertThat(judged(1))
                .isInstanceOfSatisfying(
                        Safety.Local.class,
                        local -> assertThat(local.why())
                                .startsWith(
                                        "rank 0 is in the memory of a1 and a2, both in rack ra: one failure takes both"));
        shard(0, null, "a1", "c1");
        assertThat(judged(1))
                .isInstanceOfSatisfying(
                        Safety.Local.class,
                        local -> assertThat(local.why()).contains("a1 and c1, both on power domain wa"));
        shard(0, null, "a1");
        assertThat(judged(1))
                .isInstanceOfSatisfying(
                        Safety.Local.class, local -> assertThat(local.why()).contains("memory of a1 alone"));
        shard(0, null, "a1", "a2", "b1");
        assertThat(judged(1)).as("three, two of them apart").isEqualTo(new Safety.Peer());
    }

    @Test
    void aCopyOfALostARestartedOrAnUnknownAgentDoesNotCount() {
        shard(0, null, "a1", "b1");
        node("b1", 8, "rb", "wb", null);
        assertThat(judged(1)).isInstanceOf(Safety.Local.class);
        node("b1", 7, "rb", "wb", "LEASE_EXPIRED");
        assertThat(judged(1)).isInstanceOf(Safety.Local.class);
        nodes.remove(new NodeId("b1"));
        assertThat(judged(1)).isInstanceOf(Safety.Local.class);
        assertThat(gone(1)).isNull();
        node("a1", 9, "ra", "wa", null);
        node("b1", 7, "rb", "wb", "LEASE_EXPIRED");
        assertThat(judged(1)).isEqualTo(new Safety.Incomplete());
        assertThat(gone(1))
                .isEqualTo(
                        "rank 0 has no copy left, it never reached the store, and a1 has lost its memory (boot, or wiped) since it"
                                + " took its copy, b1 is lost (LEASE_EXPIRED)");
    }

    /** Counted the slow way: PEER survives the loss of every single rack and of every single power domain. */
    @Test
    void whatIsPeerSurvivesTheLossOfAnyOneDomain() {
        var random = new Random(4711);
        int peers = 0;
        for (int round = 0; round < 3_000; round++) {
            nodes.clear();
            shards.clear();
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                names.add("n" + i);
                node(
                        "n" + i,
                        random.nextInt(8) == 0 ? 8 : 7,
                        "r" + random.nextInt(3),
                        "w" + random.nextInt(3),
                        random.nextInt(8) == 0 ? "LEASE_EXPIRED" : null);
            }
            int ranks = 1 + random.nextInt(3);
            for (int rank = 0; rank < ranks; rank++) {
                String[] holders =
                        names.stream().filter(name -> random.nextInt(2) == 0).toArray(String[]::new);
                shard(rank, random.nextInt(4) == 0 ? "path" : null, holders);
            }
            Safety safety = judged(ranks);
            boolean survives = true;
            Set<String> domains = new TreeSet<>();
            nodes.values().forEach(node -> domains.addAll(List.of(node.rack(), node.power())));
            for (String lost : domains) {
                for (ShardCopies shard : shards.values()) {
                    survives &= shard.path() != null
                            || shard.copies().stream()
                                    .map(copy -> nodes.get(copy.node()))
                                    .anyMatch(node -> node.memory().equals("boot 7")
                                            && node.evicted() == null
                                            && !node.rack().equals(lost)
                                            && !node.power().equals(lost));
                }
            }
            if (safety instanceof Safety.Peer) {
                peers++;
                assertThat(survives).as("%s %s", shards, nodes).isTrue();
            }
            assertThat(gone(ranks) == null).isEqualTo(!(safety instanceof Safety.Incomplete));
        }
        assertThat(peers).isGreaterThan(50);
    }

    private Safety judged(int worldSize) {
        return SafetyRules.judge(worldSize, shards, nodes);
    }

    private @Nullable String gone(int worldSize) {
        return SafetyRules.gone(worldSize, shards, nodes);
    }

    private void node(String name, int memory, String rack, String power, @Nullable String evicted) {
        var id = new NodeId(name);
        nodes.put(id, new KnownNode(id, "boot " + memory, rack, power, "127.1.0.1", 7070, evicted));
    }

    private void shard(int rank, @Nullable String path, String... holders) {
        shards.put(
                rank,
                new ShardCopies(
                        rank,
                        path,
                        1,
                        Checkpoints.sha("x"),
                        Stream.of(holders)
                                .map(node -> new ShardCopies.Copy(new NodeId(node), "boot 7"))
                                .toList()));
    }
}

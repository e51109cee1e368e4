package io.muster.scheduling.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.fixture.RandomHistory;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On small clusters every set of nodes is tried: a placement is found exactly when one exists, under every outlook. */
class CompletenessTest {

    private static final int[] REPAIRS = new int[2];
    private static final Map<Outlook, int[]> ANSWERS = new EnumMap<>(Outlook.class);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void findsAPlacementExactlyWhenOneExists(long seed) {
        RandomHistory history = new RandomHistory(seed, 9);
        for (int step = 0; step < 25; step++) {
            history.step();
            for (int ask = 0; ask < 8; ask++) {
                GangRequest request = history.request();
                for (Outlook outlook : Outlook.values()) {
                    boolean exists = exists(history.copy, request, outlook);
                    ANSWERS.computeIfAbsent(outlook, any -> new int[2])[exists ? 1 : 0]++;
                    assertThat(GangPlacer.fits(history.copy, request, outlook))
                            .as("seed %s step %s %s %s", seed, step, outlook, request)
                            .isEqualTo(exists);
                }
                assertThat(GangPlacer.place(history.copy, request, Instant.EPOCH)
                                .isPresent())
                        .isEqualTo(exists(history.copy, request, Outlook.NOW));
            }
        }
    }

    /** Any gang that runs is wounded in thought at each of its members: it can be repaired exactly when a set exists. */
    @ParameterizedTest
    @MethodSource("seeds")
    void findsReplacementsExactlyWhenSomeExist(long seed) {
        RandomHistory history = new RandomHistory(seed + 2_000, 9);
        for (int step = 0; step < 25; step++) {
            history.step();
            for (Map.Entry<JobId, GangAllocation> entry : history.copy.allocations()) {
                GangAllocation gang = entry.getValue();
                if (gang.placedNodes() < 2 || gang.members().size() < gang.placedNodes()) {
                    continue;
                }
                GangRequest request =
                        history.copy.job(gang.job()).orElseThrow().demand().gang();
                for (int losses = 1; losses < gang.placedNodes(); losses++) {
                    int cut = gang.placedNodes() - losses;
                    GangAllocation wounded = new GangAllocation(
                            gang.job(),
                            gang.generation(),
                            gang.queue(),
                            gang.placedNodes(),
                            gang.members().subList(0, cut),
                            gang.members().subList(cut, gang.placedNodes()));
                    boolean some = someReplace(history.copy, request, wounded);
                    REPAIRS[some ? 1 : 0]++;
                    assertThat(RepairSurvey.of(history.copy, wounded, request).fitsNow())
                            .as("seed %s step %s %s lost %s", seed, step, request, wounded.lost())
                            .isEqualTo(some);
                }
            }
        }
    }

    private static boolean someReplace(ClusterView view, GangRequest request, GangAllocation gang) {
        List<Integer> staying = new ArrayList<>();
        gang.members().forEach(member -> staying.add(view.nodeNumber(member.node())));
        List<Integer> candidates = new ArrayList<>();
        for (int node = 0; node < view.nodeCount(); node++) {
            if (view.registered(node) && !staying.contains(node) && alone(view, request, Outlook.NOW, true, node)) {
                candidates.add(node);
            }
        }
        return exists(view, request, candidates, 0, staying);
    }

    /** The counter-offer is exact: so many nodes fit there, one more does not. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theCounterOfferIsTheLargestThatFits(long seed) {
        RandomHistory history = new RandomHistory(seed + 1_000, 9);
        for (int step = 0; step < 15; step++) {
            history.step();
            GangRequest asked = history.request().withSpread(null);
            GangRequest many = resized(asked, 9);
            for (LargestGang largest : LargestGang.perLevel(history.copy, many, Outlook.NOW)) {
                for (int nodes = 2; nodes <= 9; nodes++) {
                    GangRequest gang = resized(asked, nodes).within(largest.level(), PlacementMode.REQUIRED);
                    assertThat(exists(history.copy, gang, Outlook.NOW))
                            .as("seed %s step %s %s, offered %s", seed, step, gang, largest)
                            .isEqualTo(nodes <= largest.nodes());
                }
            }
        }
    }

    @AfterAll
    static void bothAnswersWereSeen() {
        assertThat(REPAIRS).doesNotContain(0);
        assertThat(ANSWERS).hasSize(Outlook.values().length);
        assertThat(ANSWERS.values()).allSatisfy(answers -> assertThat(answers).doesNotContain(0));
    }

    private static GangRequest resized(GangRequest request, int nodes) {
        return new GangRequest(
                nodes,
                request.gpusPerNode(),
                request.gpuModels(),
                request.minDriver(),
                request.equalDriver(),
                request.within(),
                request.mode(),
                request.spread(),
                request.avoidNodes(),
                request.failedNodes());
    }

    private static boolean exists(ClusterView view, GangRequest request, Outlook outlook) {
        List<Integer> candidates = new ArrayList<>();
        for (int node = 0; node < view.nodeCount(); node++) {
            if (view.registered(node) && alone(view, request, outlook, false, node)) {
                candidates.add(node);
            }
        }
        return exists(view, request, candidates, 0, new ArrayList<>());
    }

    private static boolean exists(
            ClusterView view, GangRequest request, List<Integer> candidates, int from, List<Integer> chosen) {
        if (chosen.size() == request.nodes()) {
            return together(view, request, chosen);
        }
        for (int at = from; at < candidates.size(); at++) {
            chosen.add(candidates.get(at));
            boolean found = exists(view, request, candidates, at + 1, chosen);
            chosen.removeLast();
            if (found) {
                return true;
            }
        }
        return false;
    }

    private static boolean alone(ClusterView view, GangRequest request, Outlook outlook, boolean repair, int node) {
        NodeClass nodeClass = view.nodeClass(view.classNumber(node));
        boolean suits = (request.gpuModels().isEmpty() || request.gpuModels().contains(nodeClass.model()))
                && (request.minDriver() == null || nodeClass.driver().compareTo(request.minDriver()) >= 0)
                && !request.avoidNodes().contains(view.nodeId(node))
                && nodeClass.gpus() >= request.gpusPerNode();
        boolean room = outlook == Outlook.ALL_FREE || view.freeGpus(node) >= request.gpusPerNode();
        boolean serves = outlook != Outlook.NOW
                || ((request.nodes() == 1 ? nodeClass.takesSmallWork() : nodeClass.takesWork())
                        && !request.failedNodes().contains(view.nodeId(node)));
        serves &= repair || outlook == Outlook.ALL_FREE || !nodeClass.spare();
        return suits && room && serves;
    }

    private static boolean together(ClusterView view, GangRequest request, List<Integer> nodes) {
        NodeClass first = view.nodeClass(view.classNumber(nodes.getFirst()));
        DomainType bound = request.mode() == PlacementMode.REQUIRED ? request.within() : DomainType.CLUSTER;
        @Nullable SpreadLimit spread = request.spread();
        Map<String, Integer> inSpread = new TreeMap<>();
        for (int node : nodes) {
            NodeClass nodeClass = view.nodeClass(view.classNumber(node));
            if (!nodeClass.model().equals(first.model())
                    || (request.equalDriver() && !nodeClass.driver().equals(first.driver()))
                    || !view.domainName(bound, node).equals(view.domainName(bound, nodes.getFirst()))) {
                return false;
            }
            if (spread != null
                    && inSpread.merge(view.domainName(spread.domain(), node), 1, Integer::sum) > spread.maxNodes()) {
                return false;
            }
        }
        return true;
    }
}

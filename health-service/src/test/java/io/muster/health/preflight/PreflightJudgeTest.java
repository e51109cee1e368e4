package io.muster.health.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.ProbeResult;
import io.muster.health.TestNodes;
import io.muster.health.preflight.PreflightCase.Arbitration;
import io.muster.health.preflight.PreflightRuling.AskArbiter;
import io.muster.health.preflight.PreflightRuling.Decided;
import io.muster.health.preflight.PreflightRuling.Wait;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreflightJudgeTest {

    private static final Instant START = TestNodes.NOON;
    private static final Instant LATE = START.plusSeconds(10);
    private static final NodeId Z = new NodeId("z");

    /** Bad pairs are written "a-b": each end fails to reach the other. */
    @ParameterizedTest(name = "members {0}, bad {1}: blamed {2}, arbiter for {3}")
    @CsvSource(textBlock = """
                    a b c d,   '',                        '',    ''
                    a b c d,   a-b a-c a-d,               a,     ''
                    a b c d,   a-b a-c,                   a,     ''
                    a b c,     a-b a-c,                   a,     ''
                    a b c d,   a-b,                       '',    a b
                    a b,       a-b,                       '',    a b
                    a b c,     a-b,                       '',    a b
                    a b c,     a-b a-c b-c,               '',    a b c
                    a b c d e, a-b a-c a-d a-e b-c b-d b-e, a b, ''
                    a b c d,   a-c a-d b-c b-d a-b,       a b,   ''
                    a b c d,   a-c a-d b-c b-d,           '',    a b c d
                    a b c d e, a-d a-e b-d b-e c-d c-e,   '',    a b c d e
                    a b c d e, a-b a-c a-d a-e b-c,       a,     b c
                    """)
    void pairs(String members, String bad, String blamed, String arbiterFor) {
        List<NodeId> gang = nodes(members);
        PreflightRuling ruling = judge(gang, reports(gang, pairs(bad), Map.of()), Set.of(), List.of(Z), null, START);

        if (arbiterFor.isEmpty()) {
            assertThat(blamed(ruling)).containsExactlyElementsOf(nodes(blamed));
        } else {
            assertThat(ruling).isEqualTo(new AskArbiter(Z, nodes(arbiterFor)));
            PreflightRuling after = judge(
                    gang,
                    reports(gang, pairs(bad), Map.of()),
                    Set.of(),
                    List.of(Z),
                    arbitration(Z, nodes(arbiterFor), Map.of()),
                    LATE);
            assertThat(blamed(after)).containsExactlyElementsOf(nodes(blamed));
        }
    }

    @ParameterizedTest(name = "arbiter reaches {0}, not {1}: blamed {2}")
    @CsvSource(textBlock = """
                    a,   b,   b,   reached others
                    b,   a,   a,   reached others
                    a b, '',  '',  the link
                    '',  a b, '',  says nothing
                    """)
    void theEndThatTheArbiterDoesNotReachIsBlamed(String reached, String unreached, String blamed, String says) {
        List<NodeId> gang = nodes("a b");
        Map<NodeId, Boolean> answers = new HashMap<>();
        nodes(reached).forEach(node -> answers.put(node, true));
        nodes(unreached).forEach(node -> answers.put(node, false));
        PreflightRuling ruling = judge(
                gang,
                reports(gang, pairs("a-b"), Map.of()),
                Set.of(),
                List.of(Z),
                arbitration(Z, gang, answers),
                START.plusSeconds(1));

        assertThat(blamed(ruling)).containsExactlyElementsOf(nodes(blamed));
        assertThat(((Decided) ruling).message()).contains(says);
    }

    @Test
    void anArbiterHasFiveSecondsAndItsSilenceBlamesNobody() {
        List<NodeId> gang = nodes("a b");
        var reports = reports(gang, pairs("a-b"), Map.of());
        Arbitration asked = arbitration(Z, gang, Map.of());

        assertThat(judge(gang, reports, Set.of(), List.of(Z), asked, START.plusMillis(4999)))
                .isInstanceOf(Wait.class);
        PreflightRuling late = judge(gang, reports, Set.of(), List.of(Z), asked, START.plusSeconds(5));
        assertThat(blamed(late)).isEmpty();
        assertThat(((Decided) late).message()).contains("z did not answer within 5 s");
    }

    @Test
    void aMemberThatIsNotConcernedIsTheArbiterWhereNobodyElseIs() {
        List<NodeId> gang = nodes("a b c");
        var reports = reports(gang, pairs("a-b"), Map.of());

        assertThat(judge(gang, reports, Set.of(), List.of(), null, START))
                .isEqualTo(new AskArbiter(new NodeId("c"), nodes("a b")));
        PreflightRuling alone =
                judge(nodes("a b"), reports(nodes("a b"), pairs("a-b"), Map.of()), Set.of(), List.of(), null, START);
        assertThat(blamed(alone)).isEmpty();
        assertThat(((Decided) alone).message()).contains("no third node");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpu_count",
                "leftover_processes",
                "disk_space",
                "disk_write_read",
                "memory",
                "clock_offset",
                "name_resolution",
                "fd_limit",
                "agent_version",
                "store_reachable"
            })
    void aMembersOwnFailureIsItsOwnAndExplainsItsPairs(String check) {
        List<NodeId> gang = nodes("a b c");
        PreflightRuling ruling =
                judge(gang, reports(gang, pairs("a-b"), Map.of("a", check)), Set.of(), List.of(Z), null, START);

        assertThat(blamed(ruling)).containsExactly(new NodeId("a"));
        assertThat(((Decided) ruling).message()).contains(check).contains("3 of 10");
    }

    @Test
    void aStoreThatNoMemberReachesIsNoNodesFault() {
        List<NodeId> gang = nodes("a b c");
        var all =
                reports(gang, Set.of(), Map.of("a", "store_reachable", "b", "store_reachable", "c", "store_reachable"));
        var two = reports(gang, Set.of(), Map.of("a", "store_reachable", "b", "store_reachable"));

        PreflightRuling ruling = judge(gang, all, Set.of(), List.of(Z), null, START);
        assertThat(blamed(ruling)).isEmpty();
        assertThat(((Decided) ruling).message()).contains("store_reachable").contains("the cause is shared");
        assertThat(blamed(judge(gang, two, Set.of(), List.of(Z), null, START))).containsExactlyElementsOf(nodes("a b"));
    }

    @Test
    void damagedShardsAreNoNodesFault() {
        List<NodeId> gang = nodes("a b");
        PreflightRuling ruling = judge(
                gang, reports(gang, Set.of(), Map.of("a", "restore_verified")), Set.of(), List.of(Z), null, START);

        assertThat(blamed(ruling)).isEmpty();
        assertThat(((Decided) ruling).message()).contains("restore_verified").contains("no node's fault");
    }

    @Test
    void aSilentMemberIsWaitedForAndBlamedOnlyIfItsLeaseIsGone() {
        List<NodeId> gang = nodes("a b c");
        var reports = reports(gang, Set.of(), Map.of());
        reports.remove(new NodeId("c"));

        assertThat(judge(gang, reports, Set.of(), List.of(Z), null, LATE.minusMillis(1)))
                .isInstanceOf(Wait.class);
        PreflightRuling alive = judge(gang, reports, Set.of(), List.of(Z), null, LATE);
        assertThat(blamed(alive)).isEmpty();
        assertThat(((Decided) alive).message()).contains("no report from c within 10 s");
        assertThat(blamed(judge(gang, reports, Set.of(new NodeId("c")), List.of(Z), null, START)))
                .containsExactly(new NodeId("c"));
    }

    @Test
    void nobodyReportedAtAll() {
        assertThat(judge(List.of(), Map.of(), Set.of(), List.of(Z), null, START))
                .isInstanceOf(Wait.class);
        assertThat(blamed(judge(List.of(), Map.of(), Set.of(), List.of(Z), null, LATE)))
                .isEmpty();
    }

    @Test
    void oneNodeCannotGetItsPeersBlamedByClaimingThatItReachesNobody() {
        List<NodeId> gang = nodes("a b c d");
        var reports = reports(gang, Set.of(), Map.of());
        reports.put(new NodeId("a"), report("a", gang, Set.of("b", "c", "d"), null));

        assertThat(blamed(judge(gang, reports, Set.of(), List.of(Z), null, START)))
                .containsExactly(new NodeId("a"));
    }

    @Test
    void whatANodeSaysOfOthersPairsDoesNotCount() {
        List<NodeId> gang = nodes("a b c");
        var reports = reports(gang, Set.of(), Map.of());
        PreflightReport honest = Objects.requireNonNull(reports.get(new NodeId("a")));
        List<ProbeResult> forged = new ArrayList<>(honest.pairs());
        forged.add(new ProbeResult(null, new NodeId("b"), new NodeId("c"), false, 1, "forged"));
        reports.put(new NodeId("a"), new PreflightReport(honest.jobId(), 1, 1, gang, honest.checks(), forged));

        assertThat(blamed(judge(gang, reports, Set.of(), List.of(Z), null, START)))
                .isEmpty();
    }

    /** Reports come in any order, some before and some after the judge looked; the last word is always the same. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void theOrderOfReportsDoesNotMatter(long seed) {
        Random random = new Random(seed);
        List<NodeId> gang = nodes("a b c d e f");
        Set<String> bad = new HashSet<>();
        for (int i = 0; i < random.nextInt(8); i++) {
            int one = random.nextInt(6);
            int other = random.nextInt(6);
            if (one != other) {
                bad.add(gang.get(Math.min(one, other)) + "-" + gang.get(Math.max(one, other)));
            }
        }
        Map<String, String> failing = random.nextInt(3) == 0 ? Map.of("c", "disk_space") : Map.of();
        Map<NodeId, PreflightReport> all = reports(gang, bad, failing);
        Map<NodeId, Boolean> truth = new TreeMap<>();
        gang.forEach(node -> truth.put(node, random.nextBoolean()));

        PreflightRuling expected = play(gang, all, gang, truth);
        for (int i = 0; i < 20; i++) {
            List<NodeId> order = new ArrayList<>(gang);
            Collections.shuffle(order, random);
            assertThat(play(gang, all, order, truth))
                    .as("seed %d, bad %s, order %s", seed, bad, order)
                    .isEqualTo(expected);
        }
    }

    private static PreflightRuling play(
            List<NodeId> gang, Map<NodeId, PreflightReport> all, List<NodeId> order, Map<NodeId, Boolean> truth) {
        Map<NodeId, PreflightReport> arrived = new HashMap<>();
        Instant now = START;
        for (NodeId node : order) {
            assertThat(judge(gang, arrived, Set.of(), List.of(Z), null, now)).isInstanceOf(Wait.class);
            arrived.put(node, all.get(node));
            now = now.plusMillis(300);
        }
        PreflightRuling ruling = judge(gang, arrived, Set.of(), List.of(Z), null, now);
        if (ruling instanceof AskArbiter ask) {
            Map<NodeId, Boolean> answers = new TreeMap<>(truth);
            answers.keySet().retainAll(ask.targets());
            ruling = judge(
                    gang,
                    arrived,
                    Set.of(),
                    List.of(Z),
                    new Arbitration(ask.arbiter(), now, ask.targets(), answers),
                    now);
        }
        assertThat(ruling).isInstanceOf(Decided.class);
        return ruling;
    }

    private static PreflightRuling judge(
            List<NodeId> members,
            Map<NodeId, PreflightReport> reports,
            Set<NodeId> gone,
            List<NodeId> outsiders,
            @Nullable Arbitration arbitration,
            Instant now) {
        return PreflightJudge.judge(
                new PreflightCase(members, reports, START, new TreeSet<>(gone), outsiders, arbitration), now);
    }

    private static Arbitration arbitration(NodeId arbiter, List<NodeId> targets, Map<NodeId, Boolean> answers) {
        return new Arbitration(arbiter, START, targets, answers);
    }

    private static Set<NodeId> blamed(PreflightRuling ruling) {
        assertThat(ruling).isInstanceOf(Decided.class);
        return ((Decided) ruling).blamed().keySet();
    }

    private static List<NodeId> nodes(String names) {
        return names.isEmpty()
                ? List.of()
                : Arrays.stream(names.split(" ", -1)).map(NodeId::new).toList();
    }

    private static Set<String> pairs(String text) {
        return text.isEmpty() ? Set.of() : Set.of(text.split(" ", -1));
    }

    private static Map<NodeId, PreflightReport> reports(
            List<NodeId> gang, Set<String> bad, Map<String, String> failing) {
        Map<NodeId, PreflightReport> reports = new HashMap<>();
        for (NodeId node : gang) {
            Set<String> unreached = new HashSet<>();
            for (NodeId other : gang) {
                if (bad.contains(node + "-" + other) || bad.contains(other + "-" + node)) {
                    unreached.add(other.value());
                }
            }
            reports.put(node, report(node.value(), gang, unreached, failing.get(node.value())));
        }
        return reports;
    }

    private static PreflightReport report(
            String name, List<NodeId> gang, Set<String> unreached, @Nullable String failingCheck) {
        NodeId node = new NodeId(name);
        List<ProbeResult> pairs = gang.stream()
                .filter(other -> !other.equals(node))
                .map(other -> new ProbeResult(null, node, other, !unreached.contains(other.value()), 1, "…"))
                .toList();
        List<CheckResult> checks =
                failingCheck == null ? TestNodes.allPass(START) : new ArrayList<>(TestNodes.allPass(START));
        if (failingCheck != null) {
            checks.add(TestNodes.check(failingCheck, CheckStatus.FAIL, START));
        }
        return new PreflightReport(new JobId("job_00000001"), 1, 1, gang, checks, pairs);
    }
}

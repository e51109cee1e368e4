package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultState;
import io.muster.contract.fault.FaultStatus;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.job.JobPhase;
import io.muster.edge.identity.Role;
import io.muster.health.RunningService.Answer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Faults from their opening to their end, with a real database and broker and two racks of four nodes. */
class FaultsOverHttpTest {

    private static int run;

    private RunningService service;
    private final List<TestAgent> agents = new ArrayList<>();
    private final List<TestJobs> jobs = new ArrayList<>();

    @BeforeEach
    void startAnew(@TempDir Path keys) {
        run++;
        service = start(keys);
    }

    private static RunningService start(Path keys) {
        // a lease that a busy machine does not miss
        RunningService started = RunningService.start(
                keys, "health_faults_" + run, "--muster.health.heartbeat=1s", "--muster.health.lease=4s");
        Eventually.holds("a judge", started::judges, () -> "no judge");
        return started;
    }

    private void twoRacksLive(int nodesEach) {
        for (String rack : List.of("r1", "r2")) {
            for (int n = 1; n <= nodesEach; n++) {
                agents.add(new TestAgent(service, name(rack, n), rack).lives(target -> false));
            }
        }
        agents.forEach(
                agent -> Eventually.holds("admitted", () -> agent.causes().isEmpty(), agent::view));
    }

    @AfterEach
    void stop() {
        agents.forEach(TestAgent::close);
        jobs.forEach(TestJobs::close);
        service.close();
    }

    /** Topics outlive a test's database, so every test has names of its own. */
    private static String name(String rack, int n) {
        return rack + "-n" + n + "-" + run;
    }

    private TestAgent agent(String rack, int n) {
        return agents.stream()
                .filter(agent -> agent.node().value().equals(name(rack, n)))
                .findFirst()
                .orElseThrow();
    }

    private TestJobs job(String tenant) {
        TestJobs job = new TestJobs(tenant);
        jobs.add(job);
        return job;
    }

    @Test
    void aWholeRackIsOneIncidentWithOneHoldAndOneFault() {
        twoRacksLive(4);
        TestJobs job =
                job("acme").placed(1, name("r1", 1), name("r1", 2)).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        TestJobs other =
                job("zeta").placed(1, name("r1", 3), name("r2", 1)).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        awaitProjection(job, other);
        for (int n = 1; n <= 4; n++) {
            agent("r1", n).falls();
        }
        FaultState fault = eventually("?layer=DOMAIN", found -> true);

        assertThat(fault.code()).isEqualTo("RACK_LOST");
        assertThat(fault.domain()).isEqualTo("rack/r1");
        Eventually.holds(
                "the open fault is counted by its severity",
                () -> metrics()
                        .contains("muster_faults_open{code=\"RACK_LOST\",layer=\"DOMAIN\",severity=\"CRITICAL\"} 1.0"),
                this::metrics);
        assertThat(fault.blastRadius().nodes()).hasSize(4);
        assertThat(fault.blastRadius().jobs()).containsExactlyInAnyOrder(job.job(), other.job());
        assertThat(fault.blastRadius().gpus()).isEqualTo(24);
        assertThat(fault.blastRadius().tenants()).isEqualTo(2);
        assertThat(fault.nextStep())
                .contains("4 nodes")
                .contains("2 gangs")
                .contains("600 s")
                .contains("spares first");
        List<String> holdIds = new ArrayList<>();
        for (int n = 1; n <= 4; n++) {
            assertThat(agent("r1", n).causes()).containsExactly("DOMAIN_LOST");
            holdIds.add(agent("r1", n).fitness().holds().getFirst().holdId());
            assertThat(agent("r1", n).fitness().controlPlaneIncident()).isFalse();
            assertThat(agent("r2", n).causes()).isEmpty();
        }
        assertThat(holdIds.stream().distinct()).hasSize(1);
        FaultState incident = eventually("?layer=CONTROL_PLANE", found -> found.status() == FaultStatus.RESOLVED);
        assertThat(incident.incidentId()).isEqualTo(fault.incidentId());
        assertThat(faults(Role.SRE, "?layer=NODE")).isEmpty();
        FaultState ownPart = asTenant("?layer=DOMAIN").getFirst();
        assertThat(ownPart.blastRadius().jobs()).containsExactly(job.job());
        assertThat(ownPart.blastRadius().gpus()).isEqualTo(16);
        assertThat(service.asUser(Role.VIEWER, "GET", "/api/v1/faults/" + incident.faultId(), null)
                        .body()
                        .toString())
                .doesNotContain(other.job().value());

        for (int n = 1; n <= 4; n++) {
            agent("r1", n).beatsOn(target -> false);
        }
        eventually(
                "?layer=DOMAIN",
                found -> found.status() == FaultStatus.RESOLVED
                        && found.actions().stream()
                                        .filter(action -> action.action().equals("RETURNED"))
                                        .count()
                                == 4);
        Eventually.holds(
                "the end is told", () -> told(fault).contains(EventType.FAULT_RESOLVED.type()), () -> told(fault));
        List<String> types = told(fault);
        assertThat(types).startsWith(EventType.FAULT_OPENED.type());
        assertThat(types.stream().filter(EventType.FAULT_OPENED.type()::equals)).hasSize(1);
        assertThat(types.stream().filter(EventType.FAULT_RESOLVED.type()::equals))
                .hasSize(1);
    }

    private static List<String> told(FaultState fault) {
        return NodeEvents.read(Topics.FAULTS, fault.domain()).stream()
                .filter(event -> event.get("data").get("faultId").asString().equals(fault.faultId()))
                .map(event -> event.get("type").asString())
                .toList();
    }

    @Test
    void aNodesFaultTellsTheWholeRecovery() {
        twoRacksLive(1);
        String lost = name("r1", 1);
        String kept = name("r2", 1);
        TestJobs job = job("acme").placed(1, lost, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        TestJobs late = job("acme").placed(1, lost, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        awaitProjection(job, late);
        job.is(JobPhase.RECOVERING, "LOST_CONNECTION", 1, true);
        FaultState rank = eventually("?layer=PROCESS&job=" + job.job(), found -> true);
        assertThat(rank.causedBy()).isNull();
        agent("r1", 1).falls();
        FaultState opened = eventually("?layer=NODE", found -> true);
        assertThat(opened.code()).isEqualTo("LEASE_EXPIRED");
        assertThat(opened.phases().getFirst().phase()).isEqualTo("DETECTED");
        assertThat(opened.phases().getFirst().seconds()).isBetween(4.0, 20.0);
        FaultState cascade = eventually("?layer=PROCESS&job=" + job.job(), found -> found.causedBy() != null);
        assertThat(cascade.causedBy()).isEqualTo(opened.faultId());
        assertThat(cascade.incidentId()).isEqualTo(opened.incidentId());
        late.is(JobPhase.RECOVERING, "LOST_CONNECTION", 1, true);
        FaultState follows = eventually("?layer=PROCESS&job=" + late.job(), found -> true);
        assertThat(follows.causedBy()).as("told after the node's loss").isEqualTo(opened.faultId());
        assertThat(follows.incidentId()).isEqualTo(opened.incidentId());

        job.is(JobPhase.RECOVERING, "NODE_LOST", 1, true)
                .wounded(1, List.of(lost), lost, kept)
                .ended(1, 2, lost, kept)
                .repaired(2, name("r2", 2), kept)
                .is(JobPhase.STARTING, "PREFLIGHT_RUNNING", 2, false)
                .is(JobPhase.STARTING, "RANKS_STARTING", 2, false)
                .is(JobPhase.RUNNING, "ALL_RANKS_UP", 2, false)
                .is(JobPhase.RUNNING, "ALL_RANKS_UP", 2, true);
        FaultState told = eventually(
                "?layer=NODE&job=" + job.job(), found -> found.phases().size() == 7);
        assertThat(told.actions().stream().map(action -> action.action()))
                .contains(
                        "NODE_HELD",
                        "JOB_RECOVERING",
                        "GANG_WOUNDED",
                        "GANG_REPAIRED",
                        "ATTEMPT_STARTED",
                        "RUNNING",
                        "FIRST_STEP")
                .doesNotContain("GANG_RELEASED");
        assertThat(told.phases())
                .extracting(phase -> phase.phase())
                .containsExactly("DETECTED", "DECIDED", "PLACED", "PREFLIGHT", "RESTORED", "RUNNING", "FIRST_STEP");
        assertThat(eventually("?layer=PROCESS&job=" + job.job(), found -> true).status())
                .isEqualTo(FaultStatus.RESOLVED);

        JsonNode phases =
                service.asUser(Role.SRE, "GET", "/api/v1/faults/phases", null).body();
        assertThat(phases.toString()).contains("FIRST_STEP").contains("p95Seconds");
        JsonNode node = agent("r1", 1).view();
        assertThat(node.get("faults").size())
                .as("those of ranks are their jobs'")
                .isEqualTo(1);
        assertThat(node.get("faults").get(0).get("faultId").asString()).isEqualTo(opened.faultId());
        assertThat(metrics())
                .contains("muster_faults_total{code=\"LEASE_EXPIRED\",layer=\"NODE\",severity=\"ERROR\"}")
                .contains("muster_fault_phase_seconds")
                .contains("quantile=\"0.95\"");
    }

    private String metrics() {
        return service.call("GET", "/actuator/prometheus", null, null).body().asString();
    }

    @Test
    void theTimesThatATenantSeesAreThoseOfItsOwnJobs() {
        twoRacksLive(1);
        String lost = name("r1", 1);
        String kept = name("r2", 1);
        TestJobs own = job("acme").placed(1, lost, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        TestJobs foreign = job("zeta").placed(1, lost, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        awaitProjection(own, foreign);
        agent("r1", 1).falls();
        eventually("?layer=NODE", found -> true);
        for (TestJobs job : List.of(own, foreign)) {
            job.is(JobPhase.RECOVERING, "NODE_LOST", 1, true)
                    .wounded(1, List.of(lost), lost, kept)
                    .ended(1, null, lost, kept)
                    .is(JobPhase.QUEUED, "REQUEUED", 1, false);
        }
        foreign.placed(2, kept).is(JobPhase.RUNNING, "ALL_RANKS_UP", 2, false);
        FaultState told = eventually(
                "?layer=NODE&job=" + foreign.job(),
                found -> found.actions().stream()
                        .anyMatch(action -> action.action().equals("RUNNING")));
        assertThat(told.actions().stream().map(action -> action.action()))
                .contains("GANG_RELEASED", "JOB_REQUEUED", "GANG_PLACED_ANEW")
                .doesNotContain("GANG_REPAIRED");
        eventually(
                "?layer=NODE&job=" + own.job(),
                found -> found.actions().stream()
                        .anyMatch(action -> action.action().equals("JOB_REQUEUED")
                                && action.message().contains(own.job().value())));

        assertThat(phaseCounts(Role.SRE))
                .containsEntry("NODE DETECTED", 1L)
                .containsEntry("NODE DECIDED", 2L)
                .containsEntry("NODE RUNNING", 1L);
        assertThat(phaseCounts(Role.VIEWER))
                .as("acme's job is not running yet, and zeta's is not acme's business")
                .containsEntry("NODE DETECTED", 1L)
                .containsEntry("NODE DECIDED", 1L)
                .doesNotContainKeys("NODE PLACED", "NODE RUNNING");
    }

    private Map<String, Long> phaseCounts(Role role) {
        Answer answer = service.asUser(role, "GET", "/api/v1/faults/phases?days=1", null);
        assertThat(answer.status()).isEqualTo(200);
        Map<String, Long> counts = new TreeMap<>();
        answer.body()
                .forEach(phase -> counts.put(
                        phase.get("layer").asString() + " " + phase.get("phase").asString(),
                        phase.get("count").asLong()));
        return counts;
    }

    @Test
    void anIncidentThatARestartLeavesOpenIsClosed(@TempDir Path keys) {
        for (String rack : List.of("r1", "r2")) {
            for (int n = 1; n <= 3; n++) {
                agents.add(new TestAgent(service, name(rack, n), rack).lives(target -> true));
            }
        }
        agents.forEach(
                agent -> Eventually.holds("admitted", () -> agent.causes().isEmpty(), agent::view));
        for (int n = 1; n <= 3; n++) {
            agent("r1", n).falls();
        }
        FaultState open = eventually("?layer=CONTROL_PLANE", found -> found.status() == FaultStatus.OPEN);

        agents.forEach(TestAgent::falls);
        service.close();
        service = start(keys);
        FaultState over = eventually(
                "?layer=CONTROL_PLANE",
                found -> found.faultId().equals(open.faultId()) && found.status() == FaultStatus.RESOLVED);
        assertThat(over.actions().getLast().action()).isEqualTo("INCIDENT_CLOSED");
        assertThat(over.actions().getLast().message()).contains("all leases were restarted");
    }

    @Test
    void aDamagedCheckpointIsAFaultUntilTheJobRunsAgain() {
        TestJobs job = job("acme")
                .placed(1, name("r1", 1), name("r2", 1))
                .is(JobPhase.STARTING, "PREFLIGHT_RUNNING", 2, false);
        awaitProjection(job);
        CheckpointId damaged = TestJobs.newCheckpoint();
        job.committed(damaged, List.of(damaged));
        FaultState fault = eventually("?layer=CHECKPOINT&job=" + job.job(), found -> true);
        assertThat(fault.domain()).isEqualTo("checkpoint/" + damaged);
        assertThat(fault.blastRadius().jobs()).containsExactly(job.job());

        job.committed(damaged, List.of(damaged)).is(JobPhase.RUNNING, "ALL_RANKS_UP", 3, false);
        eventually("?layer=CHECKPOINT&job=" + job.job(), found -> found.status() == FaultStatus.RESOLVED);
        assertThat(faults(Role.SRE, "?layer=CHECKPOINT&job=" + job.job()))
                .as("told twice, one fault")
                .hasSize(1);
    }

    @Test
    void listsAreFilteredPagedAndScoped() {
        twoRacksLive(1);
        TestJobs foreign =
                job("zeta").placed(1, name("r1", 1), name("r2", 1)).is(JobPhase.RUNNING, "ALL_RANKS_UP", 1, true);
        awaitProjection(foreign);
        foreign.is(JobPhase.FAILED, "USER_ERROR", 1, true);
        FaultState fault = eventually("?job=" + foreign.job(), found -> true);
        assertThat(fault.status()).as("a job that has failed is over").isEqualTo(FaultStatus.RESOLVED);
        assertThat(fault.layer()).isEqualTo(FaultLayer.PROCESS);
        agent("r1", 1).falls();
        FaultState lost = eventually("?layer=NODE&node=" + name("r1", 1), found -> true);

        assertThat(asTenant("")).extracting(FaultState::faultId).doesNotContain(fault.faultId(), lost.faultId());
        assertThat(service.asUser(Role.VIEWER, "GET", "/api/v1/faults/" + fault.faultId(), null)
                        .status())
                .isEqualTo(404);
        assertThat(agent("r1", 1).view().get("faults")).isEmpty();
        Answer first = service.asUser(Role.SRE, "GET", "/api/v1/faults?limit=1", null);
        assertThat(first.body().get("items").get(0).get("faultId").asString()).isEqualTo(lost.faultId());
        List<String> seen = new ArrayList<>();
        for (Answer page = first; ; ) {
            assertThat(page.body().get("items").size()).isEqualTo(1);
            seen.add(page.body().get("items").get(0).get("faultId").asString());
            String after = page.body().path("nextPageToken").asString("");
            if (after.isEmpty()) {
                break;
            }
            page = service.asUser(Role.SRE, "GET", "/api/v1/faults?limit=1&after=" + after, null);
        }
        assertThat(seen)
                .contains(fault.faultId(), lost.faultId())
                .isSortedAccordingTo(Comparator.reverseOrder())
                .doesNotHaveDuplicates();
        assertThat(faults(Role.SRE, "?status=OPEN&layer=PROCESS&job=" + foreign.job()))
                .isEmpty();
        assertThat(service.asUser(Role.SRE, "GET", "/api/v1/faults?layer=MOON", null)
                        .status())
                .isEqualTo(400);
        assertThat(service.asUser(Role.SRE, "GET", "/api/v1/faults?job=x", null).status())
                .isEqualTo(400);
        assertThat(service.asUser(Role.SRE, "GET", "/api/v1/faults?after=x", null)
                        .status())
                .isEqualTo(400);
        assertThat(service.asUser(Role.SRE, "GET", "/api/v1/faults/fault_none", null)
                        .code())
                .isEqualTo("FAULT_UNKNOWN");
    }

    private void awaitProjection(TestJobs... told) {
        for (TestJobs job : told) {
            Eventually.holds("job heard of", () -> service.knowsJob(job.job()), () -> job.job());
        }
    }

    private FaultState eventually(String query, Predicate<FaultState> condition) {
        Eventually.holds(
                "a fault " + query,
                () -> faults(Role.SRE, query).stream().anyMatch(condition),
                () -> faults(Role.SRE, ""));
        return faults(Role.SRE, query).stream().filter(condition).findFirst().orElseThrow();
    }

    private List<FaultState> asTenant(String query) {
        return faults(Role.VIEWER, query);
    }

    private List<FaultState> faults(Role role, String query) {
        List<FaultState> found = new ArrayList<>();
        service.asUser(role, "GET", "/api/v1/faults" + query, null)
                .body()
                .get("items")
                .forEach(fault -> found.add(RunningService.JSON.treeToValue(fault, FaultState.class)));
        return found;
    }
}

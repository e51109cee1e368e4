package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.ProbeResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Joining, staying and coming back, as health-service sees it. */
class MembershipTest {

    @TempDir
    Path folder;

    private AgentFixture node;

    @BeforeEach
    void start() throws IOException {
        node = new AgentFixture(folder);
        node.startInside();
        Await.until("heartbeats", () -> node.plane.heartbeats.size() > 2);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void joinsOnceAndKeepsItsCredentialToItself() throws IOException {
        assertThat(node.plane.joinTokenUsed).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node.home.resolve("credential.json"))))
                .isEqualTo("rw-------");
        Await.until("facts told", () -> node.plane.heartbeats.stream().anyMatch(beat -> beat.facts() != null));
        List<Long> sequences =
                node.plane.heartbeats.stream().map(beat -> beat.sequence()).toList();
        assertThat(sequences).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void sendsTheNodeChecksAfterJoining() {
        List<CheckResult> checks = Await.untilFound(
                "checks",
                () -> node.plane.heartbeats.stream()
                        .map(beat -> beat.checks())
                        .filter(found -> !found.isEmpty())
                        .findFirst());
        assertThat(checks)
                .extracting(CheckResult::check)
                .containsExactly(
                        "gpu_count",
                        "leftover_processes",
                        "disk_space",
                        "disk_write_read",
                        "memory",
                        "clock_offset",
                        "name_resolution",
                        "fd_limit",
                        "store_reachable",
                        "agent_version");
        assertThat(checks).allMatch(CheckResult::lets);
    }

    @Test
    void checksAreRunAgainWhenAskedFor() throws IOException {
        Await.until(
                "first checks",
                () -> node.plane.heartbeats.stream()
                        .anyMatch(beat -> !beat.checks().isEmpty()));
        Files.writeString(node.home.resolve("gpu-faults.json"), "{\"missing\":[0]}");
        node.plane.runChecksOnce = true;
        Await.until(
                "a failed gpu_count",
                () -> node.plane.heartbeats.stream()
                        .flatMap(beat -> beat.checks().stream())
                        .anyMatch(check -> check.check().equals("gpu_count") && check.status() == CheckStatus.FAIL));
        Await.until(
                "changed facts",
                () -> node.plane.heartbeats.stream()
                        .anyMatch(beat ->
                                beat.facts() != null && beat.facts().gpus().size() == 3));
    }

    @Test
    void registersAgainWhenItsSessionHasEnded() {
        node.plane.registerAgainOnce = true;
        Await.until("registered", () -> node.plane.registrations.size() == 1);
        Await.until("beats in session 2", () -> node.plane.heartbeats.getLast().session() == 2);
    }

    @Test
    void usesARenewedToken() {
        node.plane.renewOnce = true;
        Await.until("new token", () -> node.plane.tokensSeen.getLast().equals("Bearer token-renewed"));
    }

    @Test
    void waitsForANewJoinTokenWhenItsOwnIsRefused() throws IOException {
        node.plane.refuseTokens = true;
        Await.pause(Duration.ofSeconds(1));
        assertThat(node.plane.registrations).isEmpty();
        node.plane.refuseTokens = false;
        int before = node.plane.heartbeats.size();
        Await.until("back", () -> node.plane.heartbeats.size() > before + 2);
    }

    @Test
    void comesBackWithItsCredentialNotItsJoinToken() throws IOException {
        node.stopInside();
        Files.delete(folder.resolve("r1-n1-join-token"));
        node.startInside();
        Await.until("registered", () -> node.plane.registrations.size() == 1);
        assertThat(node.plane.registrations.getFirst().bootId()).isNotBlank();
    }

    @Test
    void executesProbeOrders() {
        node.plane.probesToOrder.add(new ProbeOrder("p1", new NodeId("r1-n1"), AgentFixture.ADDRESS, node.port));
        node.plane.probesToOrder.add(new ProbeOrder("p2", new NodeId("r1-n2"), AgentFixture.ADDRESS, node.port));
        node.plane.probesToOrder.add(new ProbeOrder("p3", new NodeId("r1-n3"), AgentFixture.ADDRESS, 1));
        Await.until(
                "three results",
                () -> node.plane.heartbeats.stream()
                                .flatMap(beat -> beat.probes().stream())
                                .map(ProbeResult::probeId)
                                .distinct()
                                .count()
                        == 3);
        assertThat(node.plane.heartbeats.stream().flatMap(beat -> beat.probes().stream()))
                .allSatisfy(result -> assertThat(result.reached()).isEqualTo("p1".equals(result.probeId())));
    }
}

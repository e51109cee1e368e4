package io.muster.job.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaNode;
import io.muster.edge.identity.Role;
import io.muster.job.Api;
import io.muster.job.JobServiceTest;
import io.muster.job.TestDoor;
import io.muster.job.TestQuota;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

@JobServiceTest
class TenantIsolationTest {

    @LocalServerPort
    int port;

    @Autowired
    JdbcClient jdbc;

    private Api owner;
    private Api stranger;
    private Api admin;
    private Api sre;

    @BeforeEach
    void people() {
        owner = new Api(port, TestDoor.user("iso", Role.ENGINEER));
        stranger = new Api(port, TestDoor.user("other", Role.ENGINEER));
        admin = new Api(port, TestDoor.user("ops", Role.ADMIN));
        sre = new Api(port, TestDoor.user("ops", Role.SRE));
        TestQuota.heardOf(
                jdbc,
                List.of(new QuotaNode(new QueuePath("default"), 0, null, 1, false, false, false, null, List.of())));
    }

    private JobId job(String name) {
        Api.Reply reply = owner.post("/api/v1/jobs", """
                {"name": "%s", "project": "llm", "labels": {"team": "nlp", "n": "%s"}, "runtime": {"command": ["x"]}}""".formatted(name, name));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return new JobId(reply.json().get("id").stringValue());
    }

    /** Every documented path with an id in it, from the service's own description. */
    private Map<String, List<String>> documentedPaths() {
        JsonNode paths = new Api(port, TestDoor.user("iso", Role.ENGINEER))
                .get("/v3/api-docs")
                .json()
                .get("paths");
        Map<String, List<String>> found = new java.util.TreeMap<>();
        for (Map.Entry<String, JsonNode> path : paths.properties()) {
            found.put(path.getKey(), new ArrayList<>(path.getValue().propertyNames()));
        }
        return found;
    }

    @Test
    void noDocumentedPathShowsOrTouchesAnotherTenantsJob() {
        JobId job = job("mine");
        JobId none = new JobId("job_00000000000000000000000000");
        Map<String, List<String>> paths = documentedPaths();
        assertThat(paths.keySet())
                .contains(
                        "/api/v1/jobs",
                        "/api/v1/jobs/{id}",
                        "/api/v1/jobs/{id}/timeline",
                        "/api/v1/jobs/{id}/attempts",
                        "/api/v1/jobs/{id}/logs",
                        "/api/v1/jobs/{id}/explanation",
                        "/api/v1/jobs/{id}/waste",
                        "/api/v1/jobs/{id}/cancel");
        assertThat(paths.keySet()).allMatch(path -> path.startsWith("/api/v1/"));
        int checked = 0;
        for (Map.Entry<String, List<String>> path : paths.entrySet()) {
            for (String method : path.getValue()) {
                if (path.getKey().contains("{id}")) {
                    Api.Reply theirs = call(stranger, method, path.getKey().replace("{id}", job.value()));
                    Api.Reply nothing = call(stranger, method, path.getKey().replace("{id}", none.value()));
                    assertThat(theirs.status()).as(method + " " + path.getKey()).isEqualTo(404);
                    assertThat(theirs.json().get("detail").stringValue().replace(job.value(), none.value()))
                            .isEqualTo(nothing.json().get("detail").stringValue());
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThanOrEqualTo(6);
        assertThat(stranger.get("/api/v1/jobs?label=team:nlp&pageSize=500")
                        .json()
                        .get("items")
                        .isEmpty())
                .isTrue();
        assertThat(owner.get("/api/v1/jobs/" + job).json().get("state").stringValue())
                .isEqualTo("QUEUED");
    }

    private static Api.Reply call(Api api, String method, String path) {
        return method.equals("get") ? api.get(path) : api.post(path, "{}");
    }

    @Test
    void adminsChangeEverythingSresReadEverythingViewersReadTheirTenant() {
        JobId job = job("roles");
        Api viewer = new Api(port, TestDoor.user("iso", Role.VIEWER));
        assertThat(viewer.get("/api/v1/jobs/" + job).status()).isEqualTo(200);
        assertThat(viewer.post("/api/v1/jobs/" + job + "/cancel", "").status()).isEqualTo(403);
        Api otherProject = new Api(port, TestDoor.user("iso", Role.ENGINEER, "vision"));
        assertThat(otherProject.post("/api/v1/jobs/" + job + "/cancel", "").status())
                .isEqualTo(403);
        assertThat(sre.get("/api/v1/jobs/" + job).status()).isEqualTo(200);
        assertThat(sre.post("/api/v1/jobs/" + job + "/cancel", "").status()).isEqualTo(403);
        assertThat(admin.post("/api/v1/jobs/" + job + "/cancel", "").status()).isEqualTo(202);
    }

    @Test
    void tokensOfOthersOpenNothing() {
        JobId job = job("tokens");
        assertThat(new Api(port, "forged").get("/api/v1/jobs/" + job).status()).isEqualTo(401);
        Api node = new Api(port, TestDoor.node(new NodeId("n1")));
        assertThat(node.get("/api/v1/jobs/" + job).status()).isEqualTo(403);
        assertThat(node.get("/internal/agents/n2/desired").status()).isEqualTo(403);
        assertThat(owner.get("/internal/agents/n1/desired").status()).isEqualTo(403);
        assertThat(node.get("/internal/agents/n1/desired").status()).isEqualTo(200);
    }

    @Test
    void pagesFollowEachOtherWithoutGapsOrRepeats() {
        for (int i = 0; i < 7; i++) {
            job("page-" + i);
        }
        List<String> names = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = owner.get("/api/v1/jobs?state=QUEUED&project=llm&queue=default&pageSize=3" + next)
                    .json();
            page.get("items").forEach(item -> names.add(item.get("name").stringValue()));
            next = page.get("nextPageToken").isNull()
                    ? null
                    : "&pageToken=" + page.get("nextPageToken").stringValue();
        } while (next != null);
        assertThat(names).doesNotHaveDuplicates();
        assertThat(names.stream().filter(name -> name.startsWith("page-")))
                .containsExactly("page-6", "page-5", "page-4", "page-3", "page-2", "page-1", "page-0");
        assertThat(owner.get("/api/v1/jobs?label=n:page-3").json().get("items").size())
                .isEqualTo(1);
    }

    @Test
    void aBadQueryIsToldWhatIsWrong() {
        for (String query : List.of(
                "state=BUSY",
                "label=x",
                "pageSize=0",
                "pageSize=501",
                "pageSize=x",
                "queue=a.b",
                "project=A",
                "pageToken=zzz",
                "pageToken=bm8")) {
            Api.Reply reply = owner.get("/api/v1/jobs?" + query);
            assertThat(reply.status()).as(query + reply.text()).isEqualTo(400);
            assertThat(reply.json().get("violations").isEmpty()).as(query).isFalse();
        }
    }

    @Test
    void logsAreReadFromTheStoreAndNeverFromOutsideTheTenantsFolder() throws IOException {
        JobId job = job("logs");
        assertThat(owner.get("/api/v1/jobs/" + job + "/logs").status()).isEqualTo(404);
        Path folder = Files.createDirectories(
                TestDoor.store().resolve("logs/iso").resolve(job.value()).resolve("1"));
        Files.writeString(folder.resolve("rank-0.log"), "one\ntwo\nthree\n");
        String path = "/api/v1/jobs/" + job + "/logs?attempt=1";
        assertThat(owner.get(path).text()).isEqualTo("one\ntwo\nthree\n");
        assertThat(owner.get(path).header("Content-Type")).startsWith("text/plain");
        assertThat(owner.get(path + "&tail=2").text()).isEqualTo("two\nthree\n");
        assertThat(owner.get(path + "&rank=1").status()).isEqualTo(404);
        assertThat(owner.get(path + "&rank=-1").status()).isEqualTo(400);
        assertThat(owner.get("/api/v1/jobs/" + job + "/logs?attempt=..%2F..").status())
                .isEqualTo(400);
        assertThat(stranger.get(path).status()).isEqualTo(404);
        Path secret = Files.writeString(TestDoor.store().resolve("secret.txt"), "secret");
        Files.createSymbolicLink(folder.resolve("rank-7.log"), secret);
        assertThat(owner.get(path + "&rank=7").status()).isEqualTo(404);
    }

    @Test
    void aFollowedLogEndsWithTheJob() throws Exception {
        JobId job = job("follow");
        Path folder = Files.createDirectories(
                TestDoor.store().resolve("logs/iso").resolve(job.value()).resolve("1"));
        Path log = Files.writeString(folder.resolve("rank-0.log"), "first\n");
        var reading = java.util.concurrent.CompletableFuture.supplyAsync(() ->
                owner.get("/api/v1/jobs/" + job + "/logs?attempt=1&follow=true").text());
        Files.writeString(log, "last\n", java.nio.file.StandardOpenOption.APPEND);
        owner.post("/api/v1/jobs/" + job + "/cancel", "");
        assertThat(reading.get(30, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo("first\nlast\n");
    }

    @Test
    void everyOperationIsDocumentedWithASummaryAndAnExample() {
        JsonNode paths = owner.get("/v3/api-docs").json().get("paths");
        paths.properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    assertThat(operation.getValue().path("summary").asString(""))
                            .as(path.getKey())
                            .isNotBlank();
                    assertThat(operation.getValue().toString())
                            .as(path.getKey())
                            .contains("\"example\"");
                }));
    }

    @Test
    void metricsCountJobsAndNameNoJob() throws InterruptedException {
        JobId job = job("metrics");
        String metrics = "";
        for (int i = 0; i < 100 && !metrics.contains("muster_jobs{"); i++) {
            Thread.sleep(200);
            metrics = owner.get("/actuator/prometheus").text();
        }
        assertThat(metrics)
                .contains("muster_jobs{")
                .contains("muster_jobs_pending{")
                .contains("state=\"QUEUED\"");
        assertThat(metrics).doesNotContain(job.value());
    }
}

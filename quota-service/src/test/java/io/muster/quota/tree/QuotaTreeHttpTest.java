package io.muster.quota.tree;

import static io.muster.quota.tree.NodeDocuments.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.Topics;
import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.Role;
import io.muster.quota.Http;
import io.muster.quota.Keys;
import io.muster.quota.QuotaSystem;
import io.muster.quota.tree.TreeDocument.NodeDocument;
import io.muster.testing.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@QuotaSystem
class QuotaTreeHttpTest {

    private static final String TREE = "/api/v1/quota/tree";
    private static final String ADMIN = Keys.user("operators", Role.ADMIN);

    @Autowired
    private Http http;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private JsonMapper json;

    @Autowired
    private DefaultTree defaultTree;

    @Test
    void aNewInstallationHasATreeThatTakesJobs() {
        defaultTree.afterSingletonsInstantiated();
        String first = jdbc.sql("select document from quota_tree_version where version = 1")
                .query(String.class)
                .single();
        assertThat(json.readValue(first, QuotaTree.class)).isEqualTo(DefaultTree.TREE);
        assertThat(jdbc.sql("select key_id from quota_audit where version = 1")
                        .query(String.class)
                        .single())
                .isEqualTo("system");
        var answer = http.get(Keys.user("research", Role.VIEWER), TREE);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.etag()).isEqualTo("\"" + answer.body().path("version").asLong() + "\"");
    }

    @Test
    void aChangeIsStoredAuditedAndPublished() {
        long version = version();
        var answer = http.put(
                ADMIN,
                TREE,
                tag(version),
                tree(version, node("changed-" + version).guaranteed(8).made()));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.etag()).isEqualTo(tag(version + 1));
        assertThat(answer.body().path("differences").path(0).asString())
                .isEqualTo("changed-" + version + ": added (guarantee 8, limit none, weight 1)");
        assertThat(http.get(ADMIN, TREE).body()).isEqualTo(answer.body().path("tree"));

        JsonNode audit = http.get(ADMIN, "/api/v1/quota/audit?pageSize=1").body();
        assertThat(audit.path("items").path(0).path("version").asLong()).isEqualTo(version + 1);
        assertThat(audit.path("items").path(0).path("keyId").asString()).isEqualTo("key_operators_ADMIN");
        assertThat(audit.path("items").path(0).path("differences").path(0).asString())
                .startsWith("changed-" + version);

        QuotaTree published = published(version + 1);
        assertThat(published).isEqualTo(json.treeToValue(answer.body().path("tree"), QuotaTree.class));
    }

    @Test
    void theAuditIsReadInPages() {
        add("paged");
        add("paged-again");
        List<Long> versions = new ArrayList<>();
        String next = "";
        while (next != null) {
            JsonNode page =
                    http.get(ADMIN, "/api/v1/quota/audit?pageSize=1" + next).body();
            page.path("items")
                    .forEach(entry -> versions.add(entry.path("version").asLong()));
            String token = page.path("nextPageToken").asStringOpt().orElse(null);
            next = token == null ? null : "&pageToken=" + token;
        }
        assertThat(versions)
                .isEqualTo(IntStream.rangeClosed(1, (int) version())
                        .mapToObj(v -> version() + 1 - v)
                        .toList());
        assertThat(http.get(ADMIN, "/api/v1/quota/audit?pageToken=bm9uZQ").status())
                .isEqualTo(400);
    }

    @Test
    void aDocumentThatChangesNothingKeepsTheVersion() {
        long version = version();
        JsonNode tree = http.get(ADMIN, TREE).body();
        var answer = http.put(ADMIN, TREE, tag(version), tree.toString());
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.etag()).isEqualTo(tag(version));
        assertThat(version()).isEqualTo(version);
    }

    @Test
    void aChangeSaysWhichVersionItWasMadeFrom() {
        long version = version();
        var missing = http.put(ADMIN, TREE, null, tree(version));
        assertThat(missing.status()).isEqualTo(428);
        assertThat(missing.body().path("code").asString()).isEqualTo("IF_MATCH_REQUIRED");
        for (String stale : List.of(tag(version + 1), "\"x\"", "*", "W/" + tag(version))) {
            var answer = http.put(ADMIN, TREE, stale, tree(version));
            assertThat(answer.status()).as(stale).isEqualTo(412);
            assertThat(answer.body().path("detail").asString()).contains("at version " + version + " now");
        }
        assertThat(version()).isEqualTo(version);
    }

    @Test
    void everyViolationIsAnsweredAtOnceAndNothingChanges() {
        long version = version();
        var answer = http.put(
                ADMIN,
                TREE,
                tag(version),
                Map.of(
                        "nodes",
                        List.of(
                                node("/").made(),
                                node("a").weight(0).made(),
                                node("b").guaranteed(-1).made())));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.type()).startsWith("application/problem+json");
        assertThat(answer.body().path("code").asString()).isEqualTo("INVALID_QUOTA_TREE");
        assertThat(answer.body().path("violations").findValuesAsString("pointer"))
                .contains("/nodes/1/weight", "/nodes/2/guaranteedGpus", "/nodes");
        assertThat(version()).isEqualTo(version);
    }

    @Test
    void anUnknownFieldIsRefusedNotIgnored() {
        var answer = http.put(ADMIN, TREE, tag(version()), "{\"nodes\":[{\"path\":\"/\",\"guarantedGpus\":8}]}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains("guarantedGpus", "guaranteedGpus");
    }

    @Test
    void aDryRunShowsTheDifferencesAndStoresNothing() {
        long version = version();
        var answer = http.put(
                ADMIN, TREE + "?dryRun=true", null, tree(version, node("dry").made()));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.body().path("dryRun").asBoolean()).isTrue();
        assertThat(answer.body().path("differences").toString()).contains("dry: added");
        assertThat(version()).isEqualTo(version);
        assertThat(http.put(ADMIN, TREE + "?dryRun=true", tag(version + 5), tree(version))
                        .status())
                .isEqualTo(412);
    }

    @Test
    void onlyAdministratorsChangeTheTreeAndOnlyTheyAndOperatorsReadTheAudit() {
        long version = version();
        for (Role role : List.of(Role.VIEWER, Role.ENGINEER, Role.SRE)) {
            var answer = http.put(
                    Keys.user("research", role),
                    TREE,
                    tag(version),
                    tree(version, node("mine").made()));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body().path("detail").asString()).contains(role.name(), "ADMIN");
        }
        assertThat(version()).isEqualTo(version);
        assertThat(http.get(Keys.user("research", Role.ENGINEER), "/api/v1/quota/audit")
                        .status())
                .isEqualTo(403);
        assertThat(http.get(Keys.user("research", Role.SRE), "/api/v1/quota/audit")
                        .status())
                .isEqualTo(200);
        assertThat(http.get("forged", TREE).status()).isEqualTo(401);
    }

    @Test
    void ofChangesMadeFromOneVersionExactlyOneWins() throws Exception {
        int rounds = 5;
        int writers = 8;
        for (int round = 0; round < rounds; round++) {
            long version = version();
            List<Integer> statuses = atOnce(
                    writers,
                    writer -> () -> http.put(
                                    ADMIN,
                                    TREE,
                                    tag(version),
                                    tree(
                                            version,
                                            node("round-" + version + "-by-" + writer)
                                                    .made()))
                            .status());
            assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
            assertThat(statuses).filteredOn(status -> status == 412).hasSize(writers - 1);
            assertThat(version()).isEqualTo(version + 1);
        }
    }

    @Test
    void aNodeShowsWhatItMayUseByChild() {
        add("family");
        add("family/child");
        var answer = http.get(Keys.user("research", Role.VIEWER), "/api/v1/quota/nodes/family");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().path("figures").path("usedGpus").asLong()).isZero();
        assertThat(answer.body().path("children").path(0).path("path").asString())
                .isEqualTo("family/child");
        assertThat(http.get(ADMIN, "/api/v1/quota/nodes/family.child")
                        .body()
                        .path("node")
                        .path("path")
                        .asString())
                .isEqualTo("family/child");
        assertThat(http.get(ADMIN, "/api/v1/quota/nodes")
                        .body()
                        .path("node")
                        .path("path")
                        .asString())
                .isEqualTo("/");
        var unknown = http.get(ADMIN, "/api/v1/quota/nodes/no.such");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.body().path("code").asString()).isEqualTo("QUOTA_NODE_NOT_FOUND");
    }

    @Test
    void aTenantSeesItsOwnNodesAndThoseOfAllAndNoneOfAnother() {
        long version = version();
        assertThat(http.put(
                                ADMIN,
                                TREE,
                                tag(version),
                                tree(
                                        version,
                                        node("open").made(),
                                        node("open/leftmost").tenant("left").made(),
                                        node("open/rightmost").tenant("right").made(),
                                        node("open/rightmost/deep").made(),
                                        node("open/all")
                                                .defaultOf("left/a", "right/b")
                                                .made()))
                        .status())
                .isEqualTo(200);
        String left = Keys.user("left", Role.ENGINEER);
        JsonNode seen = http.get(left, TREE).body();
        assertThat(seen.path("nodes").findValuesAsString("path"))
                .contains("/", "open", "open/leftmost", "open/all")
                .doesNotContain("open/rightmost", "open/rightmost/deep");
        JsonNode open = http.get(left, "/api/v1/quota/nodes/open").body();
        assertThat(open.path("children").findValuesAsString("path")).containsExactly("open/all", "open/leftmost");
        for (String path :
                List.of(TREE, "/api/v1/quota/nodes", "/api/v1/quota/nodes/open", "/api/v1/quota/nodes/open.all")) {
            assertThat(http.get(left, path).text()).doesNotContain("right");
        }
        assertThat(http.get(left, "/api/v1/quota/nodes/open.all").text()).contains("left/a");
        String unknown = http.get(left, "/api/v1/quota/nodes/open.nothing").text();
        for (String hidden : List.of("open.rightmost", "open.rightmost.deep")) {
            var answer = http.get(left, "/api/v1/quota/nodes/" + hidden);
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body().path("detail").asString())
                    .isEqualTo(json.readTree(unknown).path("detail").asString().replace("open.nothing", hidden));
        }
        for (String all : List.of(ADMIN, Keys.user("left", Role.SRE))) {
            assertThat(http.get(all, TREE).body().path("nodes").findValuesAsString("path"))
                    .contains("open/leftmost", "open/rightmost", "open/rightmost/deep");
            assertThat(http.get(all, "/api/v1/quota/nodes/open.rightmost").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aTreeOfAsManyNodesAsItMayHaveCanBeSentAndOneMoreIsRefusedByTheRule() {
        long version = version();
        JsonNode tree = tree(version);
        var nodes = (tools.jackson.databind.node.ArrayNode) tree.path("nodes");
        for (int i = nodes.size(); i < TreeRules.MAX_NODES; i++) {
            nodes.add(json.<JsonNode>valueToTree(node("node-" + i).made()));
        }
        var full = http.put(ADMIN, TREE + "?dryRun=true", null, tree);
        assertThat(full.status()).as(full.text().substring(0, 300)).isEqualTo(200);
        nodes.add(json.<JsonNode>valueToTree(node("one-more").made()));
        var refused = http.put(ADMIN, TREE + "?dryRun=true", null, tree);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.body().path("violations").path(0).path("message").asString())
                .isEqualTo("the tree has 10001 nodes");
    }

    @Test
    void anotherInstanceThatStartsLaterLeavesTheTreeAlone() {
        long version = version();
        defaultTree.afterSingletonsInstantiated();
        assertThat(version()).isEqualTo(version);
        assertThat(jdbc.sql("select count(*) from quota_tree_head")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
    }

    private void add(String path) {
        long version = version();
        assertThat(http.put(ADMIN, TREE, tag(version), tree(version, node(path).made()))
                        .status())
                .isEqualTo(200);
    }

    private long version() {
        return http.get(ADMIN, TREE).body().path("version").asLong();
    }

    /** The tree as it is, and some more nodes. */
    private JsonNode tree(long version, NodeDocument... more) {
        var tree =
                (tools.jackson.databind.node.ObjectNode) http.get(ADMIN, TREE).body();
        tree.put("version", version);
        for (NodeDocument node : more) {
            tree.withArray("nodes").add(json.<JsonNode>valueToTree(node));
        }
        return tree;
    }

    private static String tag(long version) {
        return "\"" + version + "\"";
    }

    private QuotaTree published(long version) {
        try (var consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        TestBroker.bootstrapServers(),
                        "group.id",
                        "test-" + version,
                        "auto.offset.reset",
                        "earliest",
                        "isolation.level",
                        "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of(Topics.QUOTAS));
            for (int poll = 0; poll < 150; poll++) {
                for (ConsumerRecord<String, String> found : consumer.poll(Duration.ofMillis(200))) {
                    JsonNode event = json.readTree(found.value());
                    JsonNode data = event.has("data") ? event.path("data") : event;
                    if (data.path("version").asLong() == version) {
                        assertThat(found.key()).isEqualTo(QuotaTree.KEY);
                        assertThat(found.headers().lastHeader("ce_type").value())
                                .isEqualTo("io.muster.quota.quota-tree-changed.v1".getBytes(StandardCharsets.UTF_8));
                        return json.treeToValue(data, QuotaTree.class);
                    }
                }
            }
        }
        throw new AssertionError("version " + version + " was not published on " + Topics.QUOTAS);
    }

    static <T> List<T> atOnce(int threads, java.util.function.IntFunction<Callable<T>> work) throws Exception {
        var start = new CountDownLatch(1);
        try (var pool = Executors.newFixedThreadPool(threads)) {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Callable<T> one = work.apply(i);
                futures.add(pool.submit(() -> {
                    start.await();
                    return one.call();
                }));
            }
            start.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        }
    }
}

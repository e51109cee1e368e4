package io.muster.quota.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.id.JobId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.identity.Role;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import io.muster.quota.Http;
import io.muster.quota.Keys;
import io.muster.quota.QuotaSystem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

@QuotaSystem
class LedgerSystemTest {

    private static final String ADMIN = Keys.user("operators", Role.ADMIN);
    private static final QueuePath QUEUE = new QueuePath("default");
    private static final Instant START = PlacementHistories.START;

    @Autowired
    private Http http;

    @Autowired
    private Outbox outbox;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private Ledger ledger;

    @Autowired
    private LedgerRepository intervals;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void thePlacementsOfTheSchedulerBecomeTheJobsBill() {
        var job = new JobId("job_throughkafka1");
        var history = PlacementHistories.of(job, new TenantId("kafka"), QUEUE, 11, true);
        for (int i = 0; i < history.states().size(); i++) {
            publish(job, i + 1, history.states().get(i));
        }
        PlacementState last = history.states().getLast();
        await(
                "the last placement in the ledger",
                () -> intervals.ofJob(job).stream()
                                .filter(interval -> interval.generation() == last.generation() && !interval.held())
                                .count()
                        == last.members().size());
        // late and doubled: sequences that were passed already change nothing
        publish(job, 1, history.states().getFirst());
        var marker = new JobId("job_throughkafka2");
        publish(
                marker,
                1,
                PlacementHistories.of(marker, new TenantId("kafka"), QUEUE, 1, true)
                        .states()
                        .getFirst());
        await("the marker behind them", () -> !intervals.ofJob(marker).isEmpty());

        JsonNode cost = cost(Keys.user("kafka", Role.VIEWER), job);
        long truth = history.truthByNode().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat(cost.path("gpuMilliseconds").asLong()).isEqualTo(truth);
        assertThat(cost.path("gpuSeconds").decimalValue()).isEqualByComparingTo(GpuSeconds.of(truth));
        assertThat(cost.path("heldGpus").asLong()).isZero();
        long sum = 0;
        for (JsonNode line : cost.path("intervals")) {
            long millis = Instant.parse(line.path("until").asString()).toEpochMilli()
                    - Instant.parse(line.path("since").asString()).toEpochMilli();
            assertThat(line.path("gpuMilliseconds").asLong())
                    .isEqualTo(millis * line.path("gpus").asLong());
            sum += line.path("gpuMilliseconds").asLong();
        }
        assertThat(sum).isEqualTo(truth);
    }

    @Test
    void usageIsTheSumOfTheIntervalsHoweverItIsGrouped() {
        var random = new Random(5);
        List<LedgerInterval> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            var job = new JobId("job_usage000" + (100 + i));
            var tenant = new TenantId("usage-" + i % 3);
            var history = PlacementHistories.of(job, tenant, new QueuePath("usage/q" + i % 4), i, true);
            history.states().forEach(state -> {
                for (int times = random.nextInt(3); times >= 0; times--) {
                    ledger.record(state);
                }
            });
            all.addAll(intervals.ofJob(job));
        }
        Instant from = START.plusMillis(4_000);
        Instant to = START.plusMillis(19_000);
        for (UsageGroup group : UsageGroup.values()) {
            JsonNode report = usage(ADMIN, group, from, to);
            long reported = 0;
            for (JsonNode line : report.path("lines")) {
                if (line.path("key").asString().startsWith("usage")
                        || line.path("key").asString().startsWith("job_usage")) {
                    reported += line.path("gpuMilliseconds").asLong();
                }
            }
            assertThat(reported)
                    .as(group.word())
                    .isEqualTo(all.stream()
                            .mapToLong(i -> i.gpuMillis(from.toEpochMilli(), to.toEpochMilli()))
                            .sum());
        }
        JsonNode own = usage(Keys.user("usage-1", Role.VIEWER), UsageGroup.TENANT, from, to);
        assertThat(own.path("lines").findValuesAsString("key")).containsExactly("usage-1");
        assertThat(own.path("totalGpuMilliseconds").asLong())
                .isEqualTo(all.stream()
                        .filter(i -> i.tenant().value().equals("usage-1"))
                        .mapToLong(i -> i.gpuMillis(from.toEpochMilli(), to.toEpochMilli()))
                        .sum());
    }

    @Test
    void anotherTenantsJobIsNotThere() {
        var job = new JobId("job_isolated00001");
        PlacementHistories.of(job, new TenantId("owner"), QUEUE, 3, true)
                .states()
                .forEach(ledger::record);
        assertThat(http.get(Keys.user("owner", Role.VIEWER), "/api/v1/jobs/" + job + "/cost")
                        .status())
                .isEqualTo(200);
        var foreign = http.get(Keys.user("other", Role.ENGINEER), "/api/v1/jobs/" + job + "/cost");
        var absent = http.get(Keys.user("other", Role.ENGINEER), "/api/v1/jobs/job_isolated00002/cost");
        assertThat(foreign.status()).isEqualTo(404);
        assertThat(foreign.body().path("detail").asString().replace(job.value(), ""))
                .isEqualTo(absent.body().path("detail").asString().replace("job_isolated00002", ""));
        for (UsageGroup group : UsageGroup.values()) {
            assertThat(usage(Keys.user("other", Role.ENGINEER), group, START, START.plusSeconds(3_600))
                            .path("lines"))
                    .isEmpty();
        }
        assertThat(http.get(ADMIN, "/api/v1/jobs/" + job + "/cost").status()).isEqualTo(200);
        assertThat(http.get(ADMIN, "/api/v1/jobs/nonsense/cost").status()).isEqualTo(404);
    }

    @Test
    void whatIsHeldShowsAtEveryAncestorInTheMetricsAndInTheImpactOfALimit() {
        var job = new JobId("job_held000000001");
        var history = PlacementHistories.of(job, new TenantId("holder"), new QueuePath("pool"), 21, false);
        history.states().forEach(ledger::record);
        long held = intervals.ofJob(job).stream()
                .filter(LedgerInterval::held)
                .mapToLong(LedgerInterval::gpus)
                .sum();
        assertThat(held).isPositive();
        JsonNode pool = http.get(ADMIN, "/api/v1/quota/nodes/pool").body();
        assertThat(pool.path("figures").path("usedGpus").asLong()).isEqualTo(held);
        assertThat(cost(ADMIN, job).path("heldGpus").asLong()).isEqualTo(held);
        await(
                "the gauges",
                () -> http.get(ADMIN, "/actuator/prometheus")
                        .text()
                        .contains("muster_quota_used_gpus{node=\"pool\"} " + (double) held));
        assertThat(http.get(ADMIN, "/actuator/prometheus").text()).contains("muster_quota_guaranteed_gpus{node=\"/\"}");

        var tree = http.get(ADMIN, "/api/v1/quota/tree");
        String limited = tree.text()
                .replaceFirst("(\"path\":\"pool\",\"guaranteedGpus\":0,\"limitGpus\":)null", "$1" + (held - 1));
        var preview = http.put(ADMIN, "/api/v1/quota/tree?dryRun=true", tree.etag(), limited);
        assertThat(preview.body().path("impact").path(0).path("message").asString())
                .contains("pool uses " + held + " GPUs, its limit becomes " + (held - 1) + ": 1 over");
        jdbc.sql("delete from ledger_interval where job_id = ?")
                .param(job.value())
                .update();
    }

    @Test
    void usageComesAsCsvToWhoAsksForIt() {
        var job = new JobId("job_csv0000000001");
        PlacementHistories.of(job, new TenantId("csv"), QUEUE, 3, true).states().forEach(ledger::record);
        var answer = http.get(
                Keys.user("csv", Role.VIEWER),
                "/api/v1/usage?groupBy=job&from=" + START + "&to=" + START.plusSeconds(3_600),
                "Accept",
                "text/csv");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.type()).isEqualTo("text/csv;charset=UTF-8");
        long millis = cost(ADMIN, job).path("gpuMilliseconds").asLong();
        assertThat(answer.text())
                .isEqualTo("job,gpuMilliseconds,gpuSeconds,heldGpus\r\n" + job + "," + millis + ","
                        + GpuSeconds.of(millis) + ",0\r\n");
    }

    @Test
    void aQuestionThatCannotBeAnsweredIsRefusedWhole() {
        var answer = http.get(ADMIN, "/api/v1/usage?groupBy=colour&from=then&to=now");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body().path("violations").findValuesAsString("pointer"))
                .containsExactlyInAnyOrder("/groupBy", "/from", "/to");
    }

    @Test
    void theOpenApiDocumentHasEveryPublicPath() {
        JsonNode paths = http.get(ADMIN, "/v3/api-docs").body().path("paths");
        assertThat(paths.propertyNames())
                .containsExactlyInAnyOrder(
                        "/api/v1/quota/tree",
                        "/api/v1/quota/nodes",
                        "/api/v1/quota/nodes/{path}",
                        "/api/v1/quota/audit",
                        "/api/v1/usage",
                        "/api/v1/jobs/{id}/cost");
    }

    private void publish(JobId job, long sequence, PlacementState state) {
        transactions.executeWithoutResult(status -> outbox.append(new OutgoingEvent(
                Topics.PLACEMENTS, job.value(), EventType.GANG_CHANGED.type(), "jobs/" + job, sequence, state)));
    }

    private JsonNode cost(String token, JobId job) {
        return http.get(token, "/api/v1/jobs/" + job + "/cost").body();
    }

    private JsonNode usage(String token, UsageGroup group, Instant from, Instant to) {
        return http.get(token, "/api/v1/usage?groupBy=" + group.word() + "&from=" + from + "&to=" + to)
                .body();
    }

    private static void await(String what, BooleanSupplier condition) {
        for (int i = 0; i < 600; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new AssertionError("waited 30 s for " + what);
    }
}

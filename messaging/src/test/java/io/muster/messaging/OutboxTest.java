package io.muster.messaging;

import static io.muster.messaging.TestService.meter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muster.embedded.TopicSpec;
import io.muster.testing.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.IllegalTransactionStateException;

class OutboxTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private RawTopic topic = new RawTopic("unset");

    @BeforeEach
    void makeTopic() {
        topic = new RawTopic(TestService.unique("outbox.test."));
        TestBroker.topics(List.of(new TopicSpec(topic.name(), 3, false, null)));
    }

    @Test
    void anEventTravelsAsACloudEventWithItsHeaders() {
        try (var service = TestService.named("sender-service").start()) {
            service.append(meter(topic.name(), "m1", 7));
            await().atMost(PATIENCE).until(() -> service.count("outbox_event WHERE sent_at IS NOT NULL") == 1);

            ConsumerRecord<byte[], byte[]> record = topic.committed().getFirst();
            assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo("m1");
            assertThat(header(record, "content-type")).isEqualTo("application/cloudevents+json; charset=UTF-8");
            assertThat(header(record, "ce_specversion")).isEqualTo("1.0");
            assertThat(header(record, "ce_type")).isEqualTo("io.muster.test.meter-read.v1");
            assertThat(header(record, "ce_source")).isEqualTo("/muster/sender-service");
            assertThat(header(record, "ce_subject")).isEqualTo("m1");
            String json = new String(record.value(), StandardCharsets.UTF_8);
            assertThat(UUID.fromString(header(record, "ce_id")).version()).isEqualTo(7);
            assertThat(json)
                    .contains("\"id\":\"" + header(record, "ce_id") + "\"")
                    .contains("\"time\":\"" + header(record, "ce_time") + "\"")
                    .contains(
                            "\"sequence\":\"7\"", "\"partitionkey\":\"m1\"", "\"data\":{\"value\":70,\"note\":\"n\"}");
        }
    }

    @Test
    void appendingNeedsATransactionAndGoesWithIt() {
        try (var service = TestService.named("sender-service").start()) {
            assertThatThrownBy(() -> service.outbox().append(meter(topic.name(), "m1", 1)))
                    .isInstanceOf(IllegalTransactionStateException.class);
            service.transactions().executeWithoutResult(status -> {
                service.outbox().append(meter(topic.name(), "m1", 1));
                status.setRollbackOnly();
            });
            var large = new OutgoingEvent(topic.name(), "m1", "type", "m1", 1, new Meter(1, "x".repeat(1_000_000)));
            assertThatThrownBy(() -> service.append(large)).hasMessageContaining("the broker takes at most 900000");
            service.append(meter(topic.name(), "m1", 2));
            await().atMost(PATIENCE).until(() -> service.count("outbox_event WHERE sent_at IS NOT NULL") == 1);
            assertThat(service.count("outbox_event")).isEqualTo(1);
            assertThat(topic.committed()).hasSize(1);
        }
    }

    @Test
    void theLargestEventThatIsAcceptedIsTakenByTheBroker() {
        try (var service = TestService.named("sender-service").start()) {
            service.append(new OutgoingEvent(topic.name(), "m1", "type", "m1", 1, new Meter(1, "x".repeat(899_600))));
            await().atMost(PATIENCE).until(() -> service.count("outbox_event WHERE sent_at IS NOT NULL") == 1);
        }
    }

    @Test
    void eachKeyKeepsItsOrderOverBatches() {
        try (var service = TestService.named("sender-service")
                .with("muster.messaging.batch-size", "7")
                .with("muster.messaging.shards", "2")
                .start()) {
            for (int round = 0; round < 20; round++) {
                for (int key = 0; key < 5; key++) {
                    service.append(meter(topic.name(), "m" + key, round));
                }
            }
            await().atMost(PATIENCE).until(() -> service.count("outbox_event WHERE sent_at IS NULL") == 0);
            var all = topic.committed();
            assertThat(all).hasSize(100);
            for (int key = 0; key < 5; key++) {
                byte[] wanted = RawTopic.utf8("m" + key);
                assertThat(all.stream()
                                .filter(record -> Arrays.equals(record.key(), wanted))
                                .map(OutboxTest::sequence))
                        .isSorted()
                        .hasSize(20);
            }
        }
    }

    @Test
    void aPausedRelayThatGoesOnIsRefusedAndNothingIsSentTwice() throws Exception {
        String database = TestService.unique("paused_");
        var paused = new Pause();
        try (var first = TestService.named("sender-service")
                        .database(database)
                        .probe(paused)
                        .start();
                var second =
                        TestService.named("sender-service").database(database).start()) {
            first.append(meter(topic.name(), "warm-up", 1));
            await().atMost(PATIENCE).until(() -> first.count("outbox_event WHERE sent_at IS NOT NULL") == 1);
            // whoever leads, make it the first one
            second.stopMessaging();
            await().atMost(PATIENCE).until(() -> first.count("outbox_relay WHERE expires_at > clock_timestamp()") == 1);
            paused.armed.set(true);
            for (int i = 1; i <= 10; i++) {
                first.append(meter(topic.name(), "m" + i % 3, i));
            }
            paused.reached.await();
            second.startMessaging();
            await().atMost(PATIENCE).until(() -> second.count("outbox_event WHERE sent_at IS NULL") == 0);
            paused.goOn.countDown();
            await().atMost(PATIENCE).until(() -> first.counter("muster.outbox.fenced") >= 1);

            second.append(meter(topic.name(), "after", 1));
            await().atMost(PATIENCE).until(() -> second.count("outbox_event WHERE sent_at IS NULL") == 0);
            List<String> ids = topic.committed().stream()
                    .map(record -> header(record, "ce_id"))
                    .toList();
            assertThat(ids).doesNotHaveDuplicates().hasSize(12);
        } finally {
            paused.goOn.countDown();
        }
    }

    @Test
    void anInstanceThatClosesHandsItsShardOverAtOnce() {
        String database = TestService.unique("handover_");
        try (var second = TestService.named("sender-service").database(database).start()) {
            try (var first =
                    TestService.named("sender-service").database(database).start()) {
                first.append(meter(topic.name(), "m1", 1));
                await().atMost(PATIENCE).until(() -> first.count("outbox_event WHERE sent_at IS NOT NULL") == 1);
                long start = System.nanoTime();
                first.close();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            }
            second.append(meter(topic.name(), "m1", 2));
            await().atMost(PATIENCE).until(() -> second.count("outbox_event WHERE sent_at IS NULL") == 0);
            assertThat(topic.committed()).hasSize(2);
        }
    }

    @Test
    void sentEventsAreRemovedAfterTheRetentionAndUnsentOnesNever() {
        try (var service = TestService.named("sender-service").start()) {
            service.stopMessaging();
            service.append(meter(topic.name(), "old-sent", 1), meter(topic.name(), "new-sent", 1));
            service.append(meter(topic.name(), "old-unsent", 1));
            service.jdbc()
                    .sql("UPDATE outbox_event SET created_at = now() - interval '3 days',"
                            + " sent_at = CASE key WHEN 'old-sent' THEN now() - interval '2 days'"
                            + " WHEN 'new-sent' THEN now() END")
                    .update();
            assertThat(service.bean(OutboxRepository.class).backlog())
                    .satisfies(backlog -> assertThat(backlog.events()).isEqualTo(1))
                    .satisfies(backlog -> assertThat(backlog.oldestSeconds()).isGreaterThan(250_000));
            assertThat(service.bean(OutboxRepository.class).removeOld(Duration.ofHours(24), 100))
                    .isEqualTo(1);
            assertThat(service.jdbc()
                            .sql("SELECT key FROM outbox_event ORDER BY key")
                            .query(String.class)
                            .list())
                    .containsExactly("new-sent", "old-unsent");
        }
    }

    @Test
    void commitToBrokerIsPrinted() throws InterruptedException {
        try (var service = TestService.named("sender-service").start();
                var reader = topic.reader()) {
            List<Long> micros = new ArrayList<>();
            for (int i = 1; i <= 150; i++) {
                service.append(meter(topic.name(), "m1", i));
                long committed = System.nanoTime();
                reader.next();
                micros.add((System.nanoTime() - committed) / 1000);
                Thread.sleep(20);
            }
            List<Long> warm = micros.subList(50, micros.size());
            warm.sort(null);
            System.out.printf(
                    "commit to a committed read at the broker, %d idle events: p50 %.1f ms, p99 %.1f ms%n",
                    warm.size(), warm.get(warm.size() / 2) / 1000.0, warm.get(warm.size() * 99 / 100) / 1000.0);
            assertThat(topic.committed()).hasSize(150);
        }
    }

    private static int sequence(ConsumerRecord<byte[], byte[]> record) {
        String json = new String(record.value(), StandardCharsets.UTF_8);
        return Integer.parseInt(json.replaceFirst(".*\"sequence\":\"([0-9]+)\".*", "$1"));
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    /** Stops the relay between reading and sending, as a SIGSTOP would. */
    private static final class Pause implements RelayProbe {

        private final AtomicBoolean armed = new AtomicBoolean();
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void read() {
            if (armed.getAndSet(false)) {
                reached.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}

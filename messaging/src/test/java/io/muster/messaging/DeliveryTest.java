package io.muster.messaging;

import static io.muster.messaging.TestService.meter;
import static io.muster.messaging.TestService.recording;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.embedded.TopicSpec;
import io.muster.testing.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From one service's transaction to another's, with everything in between failing. */
class DeliveryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SUB = "meters";

    private String topic = "unset";

    @BeforeEach
    void makeTopic() {
        topic = TestService.unique("delivery.test.");
        TestBroker.topics(List.of(new TopicSpec(topic, 6, false, null)));
    }

    private TestService receiver(String database, String instance) {
        return TestService.named("receiver")
                .database(database)
                .subscribe(jdbc -> recording(jdbc, SUB, topic, instance))
                .start();
    }

    @Test
    void severalInstancesShareTheWorkAndEachEventHasOneEffect() {
        String database = TestService.unique("shared_");
        var rounds = new AtomicInteger();
        try (var sender = TestService.named("sender").start();
                var one = receiver(database, "one")) {
            try (var two = receiver(database, "two")) {
                // the second one gets its partitions while events flow
                await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
                    sendRounds(sender, rounds.get(), rounds.incrementAndGet());
                    return two.count("effect WHERE instance = 'one'") > 0
                            && two.count("effect WHERE instance = 'two'") > 0;
                });
            }
            sendRounds(sender, rounds.get(), rounds.get() + 10);
            await().atMost(PATIENCE).until(() -> everythingArrived(sender, one));
            assertExactlyOnceInOrder(sender, one, (rounds.get() + 10) * 20L);
        }
    }

    @Test
    void aBrokerThatIsAwayForAWhileOnlyDelays() throws InterruptedException {
        String database = TestService.unique("away_");
        try (var sender = TestService.named("sender").start();
                var receiver = receiver(database, "one")) {
            sendRounds(sender, 0, 2);
            await().atMost(PATIENCE).until(() -> everythingArrived(sender, receiver));
            TestBroker.stop();
            try {
                sendRounds(sender, 2, 5);
                Thread.sleep(Duration.ofMinutes(1));
                sendRounds(sender, 5, 6);
                assertThat(sender.count("outbox_event WHERE sent_at IS NULL")).isEqualTo(4 * 20);
                await().atMost(PATIENCE).until(() -> sender.gauge("muster.outbox.pending.events") > 0);
            } finally {
                TestBroker.start();
            }
            await().atMost(PATIENCE).until(() -> everythingArrived(sender, receiver));
            assertExactlyOnceInOrder(sender, receiver, 6 * 20);
            assertThat(receiver.count("inbox_dead_letter")).isZero();
            assertThat(receiver.parkedKeys().list()).isEmpty();
        }
    }

    @Test
    void aCrashBetweenTheBrokersAnswerAndTheMarkHasOneEffect() {
        String database = TestService.unique("crash_");
        String receivers = TestService.unique("crashed_receiver_");
        var crashes = new AtomicInteger(2);
        RelayProbe crash = new RelayProbe() {
            @Override
            public void acknowledged() {
                if (crashes.getAndDecrement() > 0) {
                    throw new AssertionError("killed before the mark");
                }
            }
        };
        try (var sender = TestService.named("sender")
                        .database(database)
                        .probe(crash)
                        .start();
                var receiver = receiver(receivers, "one")) {
            sendRounds(sender, 0, 3);
            await().atMost(PATIENCE).until(() -> everythingArrived(sender, receiver));
            await().atMost(PATIENCE).until(() -> receiver.counter("muster.inbox.superseded", "subscription", SUB) > 0);
            assertThat(new RawTopic(topic).committed().size()).as("sent again").isGreaterThan(3 * 20);
            assertExactlyOnceInOrder(sender, receiver, 3 * 20);
        }
    }

    @Test
    void connectionsThatAreCutAgainAndAgainOnlyDelay() {
        try (var sender = TestService.named("sender").start();
                var receiver = receiver(TestService.unique("cut_"), "one")) {
            for (int round = 0; round < 12; round++) {
                int now = round;
                await().ignoreExceptions().until(() -> {
                    // a cut may hide that the commit happened
                    if (sender.count("outbox_event WHERE sequence = ?", now) == 0) {
                        sendRounds(sender, now, now + 1);
                    }
                    return true;
                });
                await().ignoreExceptions().until(() -> cutConnections(sender));
                await().ignoreExceptions().until(() -> cutConnections(receiver));
            }
            await().atMost(PATIENCE).ignoreExceptions().until(() -> everythingArrived(sender, receiver));
            assertExactlyOnceInOrder(sender, receiver, 12 * 20);
            assertThat(receiver.parkedKeys().list()).isEmpty();
            assertThat(receiver.count("inbox_dead_letter")).isZero();
        }
    }

    /** A role may end its own sessions. */
    private static boolean cutConnections(TestService service) {
        return service.jdbc()
                        .sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                + " WHERE usename = current_user AND pid <> pg_backend_pid()")
                        .query(Long.class)
                        .single()
                >= 0;
    }

    @Test
    void anEventForAMissingTopicWaitsUntilTheTopicIsThere() {
        String late = topic + ".late";
        try (var sender = TestService.named("sender").start()) {
            sender.append(meter(late, "m1", 1));
            await().pollDelay(Duration.ofSeconds(6))
                    .until(() -> sender.count("outbox_event WHERE sent_at IS NULL") == 1);
            TestBroker.topics(late);
            await().atMost(PATIENCE).until(() -> sender.count("outbox_event WHERE sent_at IS NOT NULL") == 1);
            sender.append(meter(late + ".never", "m1", 1));
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            long start = System.nanoTime();
            sender.stopMessaging();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        }
    }

    @Test
    void aTopicWithALaneOfItsOwnHoldsUpNoOtherWhileItTakesNothing() {
        String stream = topic + ".stream";
        try (var sender = TestService.named("sender")
                        .with("muster.messaging.own-lane", stream)
                        .with("muster.messaging.shards", "2")
                        .start();
                var receiver = receiver(TestService.unique("beside_"), "one")) {
            for (int round = 1; round <= 20; round++) {
                sender.append(meter(stream, "s" + round % 3, round), meter(topic, "m" + round % 3, round));
            }
            await().atMost(PATIENCE).until(() -> receiver.count("effect") == 20);
            assertThat(sender.count("outbox_event WHERE sent_at IS NULL AND topic = '" + stream + "'"))
                    .isEqualTo(20);
            await().atMost(PATIENCE)
                    .until(() -> sender.count("outbox_event WHERE sent_at IS NULL AND topic <> '" + stream + "'") == 0);
            TestBroker.topics(stream);
            await().atMost(PATIENCE).until(() -> sender.count("outbox_event WHERE sent_at IS NULL") == 0);
            assertThat(new RawTopic(stream).committed()).hasSize(20);
        }
    }

    @Test
    void theAuditSeesALostAndADoubledEvent() {
        try (var sender = TestService.named("sender").start();
                var receiver = receiver(TestService.unique("audited_"), "one")) {
            sendRounds(sender, 0, 2);
            await().atMost(PATIENCE).until(() -> everythingArrived(sender, receiver));
            receiver.jdbc()
                    .sql("DELETE FROM inbox_event WHERE key = 'm3' AND sequence = 0")
                    .update();
            assertThat(audit(sender, receiver)).as("a newer one was applied").isEmpty();
            receiver.jdbc()
                    .sql("DELETE FROM inbox_event WHERE key = 'm4' AND sequence = 1")
                    .update();
            receiver.jdbc()
                    .sql("INSERT INTO inbox_event (subscription, event_id, key, sequence, outcome)"
                            + " VALUES ('meters', 'other', 'm5', 1, 'APPLIED')")
                    .update();
            assertThat(audit(sender, receiver))
                    .extracting(finding -> finding.key() + " " + finding.problem())
                    .containsExactlyInAnyOrder(
                            "m4 it is missing and nothing newer of its key was applied", "m5 it was applied 2 times");
        }
    }

    private void sendRounds(TestService sender, int from, int to) {
        for (int round = from; round < to; round++) {
            OutgoingEvent[] events = new OutgoingEvent[20];
            for (int key = 0; key < events.length; key++) {
                events[key] = meter(topic, "m" + key, round);
            }
            sender.append(events);
        }
    }

    private static boolean everythingArrived(TestService sender, TestService receiver) {
        return sender.count("outbox_event WHERE sent_at IS NULL") == 0
                && receiver.count("effect") == sender.count("outbox_event");
    }

    private void assertExactlyOnceInOrder(TestService sender, TestService receiver, long events) {
        assertThat(receiver.count("effect")).isEqualTo(events);
        assertThat(receiver.count("(SELECT event_id FROM effect GROUP BY event_id)"))
                .isEqualTo(events);
        for (int key = 0; key < 20; key++) {
            assertThat(receiver.effects(SUB, "m" + key)).isSorted().doesNotHaveDuplicates();
        }
        assertThat(audit(sender, receiver)).isEmpty();
    }

    private List<InboxAudit.Finding> audit(TestService sender, TestService receiver) {
        return InboxAudit.compare(sender.jdbc(), receiver.jdbc(), topic, SUB);
    }
}

package io.muster.messaging;

import static io.muster.messaging.TestService.effect;
import static io.muster.messaging.TestService.recording;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muster.embedded.TopicSpec;
import io.muster.messaging.ParkedKeys.RetryOutcome;
import io.muster.messaging.RawTopic.Raw;
import io.muster.testing.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;

class InboxTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SUB = "meters";

    private RawTopic topic = new RawTopic("unset");

    @BeforeEach
    void makeTopic() {
        topic = new RawTopic(TestService.unique("inbox.test."));
        TestBroker.topics(List.of(new TopicSpec(topic.name(), 1, true, null)));
    }

    private EventSubscription<?> recordingHere(JdbcClient jdbc) {
        return recording(jdbc, SUB, topic.name(), "a");
    }

    @Test
    void onlyAHigherSequenceHasAnEffect() {
        Raw two = topic.event("m1", 2);
        topic.send(List.of(topic.event("m1", 1), two, two, topic.event("m1", 1), topic.event("m2", 1)));
        topic.send(List.of(topic.event("m1", 5), topic.event("m1", 3), topic.event("m1", 5), topic.event("m1", 6)));
        try (var service =
                TestService.named("receiver").subscribe(this::recordingHere).start()) {
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "m1").contains(6L));
            assertThat(service.effects(SUB, "m1")).containsExactly(1L, 2L, 5L, 6L);
            assertThat(service.effects(SUB, "m2")).containsExactly(1L);
            assertThat(service.counter("muster.inbox.applied", "subscription", SUB))
                    .isEqualTo(5);
            assertThat(service.counter("muster.inbox.superseded", "subscription", SUB))
                    .isEqualTo(4);
            assertThat(service.count("inbox_event WHERE outcome = 'APPLIED'")).isEqualTo(5);
            assertThat(service.count("inbox_event WHERE outcome = 'SUPERSEDED'"))
                    .as("the exact duplicate keeps its first row")
                    .isEqualTo(3);
        }
    }

    @Test
    void poisonIsKeptAsItCameAndTheRestGoesOn() {
        byte[] notUtf8 = {(byte) 0xff, 0, 1};
        topic = new RawTopic(topic.name() + ".keyless");
        TestBroker.topics(List.of(new TopicSpec(topic.name(), 1, false, null)));
        topic.send(List.of(
                topic.event("m1", 1),
                Raw.of("m1", "no json"),
                new Raw(null, notUtf8),
                Raw.of("m1", "{\"specversion\":\"1.0\"}"),
                Raw.of("m1", new String(topic.event("m1", 2).value(), StandardCharsets.UTF_8).replace("20", "\"x\"")),
                new Raw(RawTopic.utf8("m1"), null),
                topic.event("m1", 3)));
        try (var service =
                TestService.named("receiver").subscribe(this::recordingHere).start()) {
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "m1").contains(3L));
            assertThat(service.effects(SUB, "m1")).containsExactly(1L, 3L);
            assertThat(service.counter("muster.inbox.dead.letters", "subscription", SUB))
                    .isEqualTo(4);
            assertThat(service.jdbc()
                            .sql("SELECT reason FROM inbox_dead_letter ORDER BY record_offset")
                            .query(String.class)
                            .list())
                    .satisfiesExactly(
                            reason -> assertThat(reason).contains("not a Meter"),
                            reason -> assertThat(reason).contains("not a Meter"),
                            reason -> assertThat(reason).contains("attribute id is missing"),
                            reason -> assertThat(reason).contains("not a Meter"));
            assertThat(service.jdbc()
                            .sql("SELECT record_value FROM inbox_dead_letter WHERE record_key IS NULL")
                            .query(byte[].class)
                            .single())
                    .isEqualTo(notUtf8);
        }
    }

    @Test
    void aBugParksItsKeyAloneAndARetryAppliesTheNewest() {
        var broken = new AtomicBoolean(true);
        List<String> announced = new CopyOnWriteArrayList<>();
        topic.send(List.of(
                topic.event("good", 1),
                topic.event("bad", 1),
                topic.event("good", 2),
                topic.event("bad", 2),
                topic.event("bad", 4),
                topic.event("bad", 3),
                topic.event("good", 3)));
        try (var service = TestService.named("receiver")
                .subscribe(jdbc -> new EventSubscription<>(SUB, topic.name(), Meter.class, new EventHandler<>() {
                    @Override
                    public void apply(EventMetadata event, Meter data) {
                        effect(jdbc, SUB, "a", event, data);
                        if (broken.get() && event.key().equals("bad")) {
                            throw new IllegalStateException("bug at " + event.sequence());
                        }
                    }

                    @Override
                    public void committed(EventMetadata event, Meter data) {
                        announced.add(event.key() + event.sequence());
                    }
                }))
                .start()) {
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "good").contains(3L));
            topic.send(List.of(topic.event("bad", 5), topic.event("good", 4)));
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "good").contains(4L));

            assertThat(service.effects(SUB, "good")).containsExactly(1L, 2L, 3L, 4L);
            assertThat(service.effects(SUB, "bad")).isEmpty();
            assertThat(service.gauge("muster.inbox.parked.keys", "subscription", SUB))
                    .isEqualTo(1);
            ParkedKey parked = service.parkedKeys().list().getFirst();
            assertThat(parked.key()).isEqualTo("bad");
            assertThat(parked.sequence()).as("the newest is kept").isEqualTo(5);
            assertThat(parked.reason()).contains("bug at 1");
            assertThat(parked.failedAt()).contains("InboxTest.java");
            assertThat(parked.event()).contains("\"sequence\":\"5\"");

            assertThat(service.parkedKeys().retry(SUB, "bad")).isEqualTo(RetryOutcome.FAILED_AGAIN);
            assertThat(service.parkedKeys().list().getFirst().reason()).contains("bug at 5");
            assertThat(service.effects(SUB, "bad")).isEmpty();
            broken.set(false);
            assertThat(service.parkedKeys().retry(SUB, "bad")).isEqualTo(RetryOutcome.APPLIED);
            assertThat(service.parkedKeys().retry(SUB, "bad")).isEqualTo(RetryOutcome.NOT_PARKED);
            assertThat(service.effects(SUB, "bad")).containsExactly(5L);
            assertThat(service.gauge("muster.inbox.parked.keys", "subscription", SUB))
                    .isZero();
            topic.send(List.of(topic.event("bad", 6)));
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "bad").contains(6L));
            assertThat(announced).containsExactly("good1", "good2", "good3", "good4", "bad5", "bad6");
            assertThatThrownBy(() -> service.parkedKeys().retry("other", "bad")).hasMessageContaining("[meters]");
        }
    }

    @Test
    void aFailureAfterTheCommitIsVisibleAndItsRetryDoesNotApplyTwice() {
        var broken = new AtomicBoolean(true);
        topic.send(List.of(topic.event("m1", 1), topic.event("m2", 1)));
        try (var service = TestService.named("receiver")
                .subscribe(jdbc -> new EventSubscription<>(SUB, topic.name(), Meter.class, new EventHandler<>() {
                    @Override
                    public void apply(EventMetadata event, Meter data) {
                        effect(jdbc, SUB, "a", event, data);
                    }

                    @Override
                    public void committed(EventMetadata event, Meter data) {
                        if (broken.get() && event.key().equals("m1")) {
                            throw new IllegalStateException("image broken");
                        }
                    }
                }))
                .start()) {
            await().atMost(PATIENCE).until(() -> service.parkedKeys().list().size() == 1);
            assertThat(service.effects(SUB, "m1")).containsExactly(1L);
            await().atMost(PATIENCE).until(() -> !service.effects(SUB, "m2").isEmpty());
            assertThat(service.parkedKeys().retry(SUB, "m1")).isEqualTo(RetryOutcome.FAILED_AGAIN);
            broken.set(false);
            assertThat(service.parkedKeys().retry(SUB, "m1")).isEqualTo(RetryOutcome.APPLIED);
            assertThat(service.effects(SUB, "m1")).containsExactly(1L);
        }
    }

    @Test
    void brokenInfrastructureIsWaitedForAndNeverParksOrDiscards() {
        var failures = new AtomicInteger(4);
        topic.send(List.of(topic.event("m1", 1), topic.event("m2", 1), topic.event("m1", 2)));
        try (var service = TestService.named("receiver")
                .subscribe(jdbc -> new EventSubscription<>(SUB, topic.name(), Meter.class, (event, data) -> {
                    effect(jdbc, SUB, "a", event, data);
                    if (event.key().equals("m2") && failures.getAndDecrement() > 0) {
                        throw new DataAccessResourceFailureException("the database is gone");
                    }
                }))
                .start()) {
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "m1").contains(2L));
            assertThat(service.effects(SUB, "m1")).containsExactly(1L, 2L);
            assertThat(service.effects(SUB, "m2")).containsExactly(1L);
            assertThat(service.parkedKeys().list()).isEmpty();
            assertThat(service.count("inbox_dead_letter")).isZero();
        }
    }

    @Test
    void aConstraintThatFailsAtTheCommitIsTheHandlersBug() {
        topic.send(List.of(topic.event("bad", 1), topic.event("good", 1)));
        try (var service = TestService.named("receiver")
                .subscribe(jdbc -> new EventSubscription<>(SUB, topic.name(), Meter.class, (event, data) -> {
                    effect(jdbc, SUB, "a", event, data);
                    if (event.key().equals("bad")) {
                        jdbc.sql(
                                        "CREATE TEMPORARY TABLE IF NOT EXISTS once (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
                                .update();
                        jdbc.sql("INSERT INTO once VALUES (1), (1)").update();
                    }
                }))
                .start()) {
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "good").contains(1L));
            assertThat(service.parkedKeys().list()).extracting(ParkedKey::key).containsExactly("bad");
            assertThat(service.effects(SUB, "bad")).isEmpty();
        }
    }

    @Test
    void aStoppedServiceGoesOnWhereItsDatabaseSaysAndANewSubscriberReadsAll() {
        var calls = new AtomicInteger();
        String database = TestService.unique("restart_");
        topic.send(List.of(topic.event("m1", 1), topic.event("m2", 1)));
        try (var service = TestService.named("receiver")
                .database(database)
                .subscribe(jdbc -> new EventSubscription<>(SUB, topic.name(), Meter.class, (event, data) -> {
                    calls.incrementAndGet();
                    effect(jdbc, SUB, "a", event, data);
                }))
                .start()) {
            await().atMost(PATIENCE).until(() -> calls.get() == 2);
            service.stopMessaging();
            topic.send(List.of(topic.event("m1", 2)));
            service.startMessaging();
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "m1").contains(2L));
            assertThat(calls).hasValue(3);
        }
        try (var second = TestService.named("receiver")
                .database(database)
                .subscribe(this::recordingHere)
                .subscribe(jdbc -> recording(jdbc, "newcomer", topic.name(), "b"))
                .start()) {
            await().atMost(PATIENCE)
                    .until(() -> second.effects("newcomer", "m1").contains(2L));
            assertThat(second.effects(SUB, "m1")).containsExactly(1L, 2L);
            assertThat(second.effects("newcomer", "m2")).containsExactly(1L);
        }
    }

    @Test
    void closingIsPromptEvenWhileAHandlerHangs() {
        String name = TestService.unique("hanging-receiver");
        topic.send(List.of(topic.event("m1", 1), topic.event("m2", 1)));
        var hanging = new AtomicBoolean();
        var service = TestService.named(name)
                .subscribe(jdbc -> new EventSubscription<>(SUB, topic.name(), Meter.class, (event, data) -> {
                    hanging.set(true);
                    try {
                        Thread.sleep(60_000);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("cut off", e);
                    }
                }))
                .start();
        try (service) {
            await().atMost(PATIENCE).until(hanging::get);
            long start = System.nanoTime();
            service.stopMessaging();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                    .noneMatch(thread -> thread.startsWith(name + "-"));
            assertThat(service.parkedKeys().list())
                    .as("being cut off is no bug")
                    .isEmpty();
        }
    }

    @Test
    void twoSubscriptionsOfOneNameAreRefused() {
        assertThatThrownBy(() -> TestService.named("receiver")
                        .subscribe(this::recordingHere)
                        .subscribe(this::recordingHere)
                        .start())
                .rootCause()
                .hasMessageContaining("two subscriptions are named meters");
    }

    /** A hostile stream: shuffled, doubled, poisoned. What is left must be what the rule says. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void anyStreamHasTheEffectOfItsRisingSequences(long seed) {
        var random = new Random(seed);
        List<Raw> stream = new ArrayList<>();
        List<Object[]> plain = new ArrayList<>();
        Map<String, Long> highest = new TreeMap<>();
        Map<String, List<Long>> expected = new TreeMap<>();
        for (int i = 0; i < 400; i++) {
            plain.add(new Object[] {"m" + random.nextInt(12), (long) random.nextInt(60)});
        }
        Collections.shuffle(plain, random);
        int poison = 0;
        for (Object[] event : plain) {
            String key = (String) event[0];
            long sequence = (long) event[1];
            if (random.nextInt(20) == 0) {
                stream.add(Raw.of(key, "poison " + poison++));
            }
            Raw raw = topic.event(key, sequence);
            stream.add(raw);
            if (random.nextInt(5) == 0) {
                stream.add(raw);
            }
            if (sequence > highest.getOrDefault(key, -1L)) {
                highest.put(key, sequence);
                expected.computeIfAbsent(key, any -> new ArrayList<>()).add(sequence);
            }
        }
        stream.add(topic.event("end", 1));
        topic.send(stream);
        try (var service = TestService.named("receiver")
                .with("muster.messaging.batch-size", Integer.toString(1 + random.nextInt(50)))
                .subscribe(this::recordingHere)
                .start()) {
            await().atMost(PATIENCE).until(() -> service.effects(SUB, "end").contains(1L));
            expected.forEach((key, sequences) -> assertThat(service.effects(SUB, key))
                    .as("seed %d key %s", seed, key)
                    .isEqualTo(sequences));
            assertThat(service.count("inbox_dead_letter")).as("seed %d", seed).isEqualTo(poison);
        }
    }
}

package io.muster.messaging;

import static io.muster.messaging.TestService.effect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

/** The inbox alone, on a real database: the instants that a whole service reaches only by luck. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartitionInboxTest {

    private static final LongConsumer IGNORE = offset -> {};

    private final TestService service = TestService.named("inbox-only").start();
    private final Envelope envelope = new Envelope(JsonMapper.builder().build());
    private final List<String> announced = new ArrayList<>();
    private Consumer<EventMetadata> duringApply = event -> {};
    private String name = "unset";
    private TopicPartition partition = new TopicPartition("unset", 0);
    private RawTopic topic = new RawTopic("unset");

    @BeforeAll
    void onlyTheInbox() {
        service.stopMessaging();
    }

    @AfterAll
    void close() {
        service.close();
    }

    @BeforeEach
    void fresh() {
        name = TestService.unique("sub");
        topic = new RawTopic(TestService.unique("partition.test."));
        partition = new TopicPartition(topic.name(), 0);
        announced.clear();
        duringApply = event -> {};
    }

    private PartitionInbox<Meter> inbox(TransactionOperations transactions) {
        EventHandler<Meter> handler = new EventHandler<>() {
            @Override
            public void apply(EventMetadata event, Meter data) {
                effect(service.jdbc(), name, "a", event, data);
                duringApply.accept(event);
            }

            @Override
            public void committed(EventMetadata event, Meter data) {
                announced.add(event.key() + event.sequence());
            }
        };
        return new PartitionInbox<>(
                new EventSubscription<>(name, topic.name(), Meter.class, handler),
                service.bean(InboxRepository.class),
                new PartitionInbox.Parts(envelope, transactions),
                new MessagingMetrics(new SimpleMeterRegistry()).of(name),
                () -> false);
    }

    private List<ConsumerRecord<byte[], byte[]>> records(long offset, String key, long... sequences) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (long sequence : sequences) {
            RawTopic.Raw raw = topic.event(key, sequence);
            records.add(new ConsumerRecord<>(topic.name(), 0, offset + records.size(), raw.key(), raw.value()));
        }
        return records;
    }

    private OptionalLong offset() {
        return service.bean(InboxRepository.class).nextOffset(name, partition);
    }

    @Test
    void anInstanceThatARebalanceLeftBehindIsRefusedAndHasNoEffect() {
        var zombie = inbox(service.transactions());
        var successor = inbox(service.transactions());
        zombie.apply(partition, OptionalLong.empty(), records(0, "m1", 1), IGNORE);
        successor.apply(partition, OptionalLong.of(1), records(1, "m1", 2), IGNORE);

        assertThatThrownBy(() -> zombie.apply(partition, OptionalLong.of(1), records(1, "m1", 2, 3), IGNORE))
                .isInstanceOf(PartitionInbox.Refused.class);
        assertThatThrownBy(() -> successor.apply(partition, OptionalLong.empty(), records(0, "m1", 9), IGNORE))
                .as("nobody begins again where there is an offset")
                .isInstanceOf(PartitionInbox.Refused.class);
        assertThat(service.effects(name, "m1")).containsExactly(1L, 2L);
        assertThat(offset()).hasValue(2);
    }

    @Test
    void aCommitWhoseAnswerWasLostIsAnnouncedOnceWhenItHappened() {
        var inbox = inbox(new AnswerLost(service.transactions(), true));
        assertThatThrownBy(() -> inbox.apply(partition, OptionalLong.empty(), records(0, "m1", 1, 2), IGNORE))
                .isInstanceOf(DataAccessResourceFailureException.class);
        assertThat(announced).isEmpty();
        inbox.resolve(partition, offset());
        inbox.resolve(partition, offset());
        assertThat(announced).containsExactly("m11", "m12");
        assertThat(service.effects(name, "m1")).containsExactly(1L, 2L);
    }

    @Test
    void aCommitWhoseAnswerWasLostIsDoneAgainWhenItDidNotHappen() {
        var inbox = inbox(new AnswerLost(service.transactions(), false));
        assertThatThrownBy(() -> inbox.apply(partition, OptionalLong.empty(), records(0, "m1", 1), IGNORE))
                .isInstanceOf(DataAccessResourceFailureException.class);
        inbox.resolve(partition, offset());
        assertThat(announced).isEmpty();
        inbox.apply(partition, offset(), records(0, "m1", 1), IGNORE);
        assertThat(announced).containsExactly("m11");
        assertThat(service.effects(name, "m1")).containsExactly(1L);
    }

    @Test
    void aNewerEventThatIsParkedDuringARetryIsNotLost() {
        var inbox = inbox(service.transactions());
        duringApply = event -> {
            throw new IllegalStateException("bug");
        };
        inbox.apply(partition, OptionalLong.empty(), records(0, "m1", 1), IGNORE);
        assertThat(service.effects(name, "m1")).isEmpty();

        var holder = inbox(service.transactions());
        duringApply = event -> {
            if (event.sequence() == 1) {
                // another instance; the retry's lock on the offset makes it wait, so it parks right after the commit
                var newer = records(1, "m1", 2).getFirst();
                String json = new String(newer.value(), StandardCharsets.UTF_8);
                var metadata = new EventMetadata("newer", event.type(), event.source(), "m1", 2, event.time());
                var other = service.transactions();
                other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                other.executeWithoutResult(
                        status -> service.bean(InboxRepository.class).replaceParked(name, metadata, json));
            }
        };
        assertThat(holder.retry("m1")).isEqualTo(ParkedKeys.RetryOutcome.APPLIED);
        assertThat(service.effects(name, "m1")).containsExactly(1L, 2L);
        assertThat(announced).containsExactly("m11", "m12");
        assertThat(holder.retry("m1")).isEqualTo(ParkedKeys.RetryOutcome.NOT_PARKED);
    }

    @Test
    void gapsOfACompactedTopicAreNoReasonToRefuse() {
        var inbox = inbox(service.transactions());
        List<Long> progress = new ArrayList<>();
        inbox.apply(partition, OptionalLong.empty(), records(500, "m1", 4), progress::add);
        inbox.apply(partition, OptionalLong.of(501), records(900, "m1", 5), progress::add);
        assertThat(progress).containsExactly(501L, 901L);
        assertThat(service.effects(name, "m1")).containsExactly(4L, 5L);
    }

    /** The first commit ends with a lost connection, after or before it took effect. */
    private static final class AnswerLost implements TransactionOperations {

        private final TransactionOperations real;
        private final boolean afterCommit;
        private boolean lost;

        AnswerLost(TransactionOperations real, boolean afterCommit) {
            this.real = real;
            this.afterCommit = afterCommit;
        }

        @Override
        public <T> T execute(TransactionCallback<T> action) {
            if (lost) {
                return real.execute(action);
            }
            lost = true;
            real.<T>execute(status -> {
                T result = action.doInTransaction(status);
                if (!afterCommit) {
                    status.setRollbackOnly();
                }
                return result;
            });
            throw new DataAccessResourceFailureException("the answer to the commit was lost");
        }
    }
}

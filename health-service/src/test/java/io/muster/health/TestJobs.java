package io.muster.health;

import io.muster.contract.EventType;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.id.Ids;
import io.muster.testing.TestBroker;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Stands for job-, scheduler- and checkpoint-service: what they tell of one job. */
public final class TestJobs implements AutoCloseable {

    private static final Ids IDS = new Ids(Clock.systemUTC(), new Random(7));

    private final KafkaProducer<String, String> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", TestBroker.bootstrapServers()), new StringSerializer(), new StringSerializer());
    private final Map<String, Long> sequences = new HashMap<>();
    private final JobId job = IDS.newJobId();
    private int generation = 1;
    private final TenantId tenant;

    public TestJobs(String tenant) {
        this.tenant = new TenantId(tenant);
    }

    public JobId job() {
        return job;
    }

    public static CheckpointId newCheckpoint() {
        return IDS.newCheckpointId();
    }

    public TestJobs placed(int generation, String... nodes) {
        return placement(generation, EventType.GANG_PLACED, List.of(), null, nodes);
    }

    public TestJobs wounded(int generation, List<String> lost, String... nodes) {
        return placement(generation, EventType.GANG_WOUNDED, lost, null, nodes);
    }

    public TestJobs repaired(int generation, String... nodes) {
        return placement(generation, EventType.GANG_REPAIRED, List.of(), null, nodes);
    }

    public TestJobs ended(int generation, @Nullable Integer repairedBy, String... nodes) {
        return placement(generation, EventType.GANG_CHANGED, List.of(), repairedBy, nodes);
    }

    private TestJobs placement(
            int generation, EventType type, List<String> lost, @Nullable Integer repairedBy, String... nodes) {
        this.generation = Math.max(this.generation, generation);
        Instant now = Clock.systemUTC().instant();
        boolean over = type == EventType.GANG_CHANGED;
        List<PlacedMember> members = new ArrayList<>();
        for (int rank = 0; rank < nodes.length; rank++) {
            boolean gone = over || lost.contains(nodes[rank]);
            members.add(new PlacedMember(
                    rank, new NodeId(nodes[rank]), IntStream.range(0, 8).boxed().toList(), now, gone ? now : null));
        }
        send(
                type,
                new PlacementState(
                        job,
                        tenant,
                        new ProjectId("default"),
                        new QueuePath("nlp"),
                        generation,
                        1,
                        members,
                        DomainType.CLUSTER,
                        "local",
                        now,
                        over ? now : null,
                        lost.stream().map(NodeId::new).toList(),
                        repairedBy));
        return this;
    }

    public TestJobs is(JobPhase phase, String reason, int attempt, boolean stepped) {
        Instant now = Clock.systemUTC().instant();
        send(
                EventType.JOB_CHANGED,
                new JobState(
                        job,
                        tenant,
                        new ProjectId("default"),
                        new QueuePath("nlp"),
                        "ngram",
                        phase,
                        reason,
                        5,
                        false,
                        now,
                        new GangRequest(
                                2,
                                8,
                                List.of(),
                                null,
                                false,
                                DomainType.CLUSTER,
                                PlacementMode.PREFERRED,
                                null,
                                List.of()),
                        true,
                        generation,
                        attempt,
                        List.of(),
                        List.of(),
                        null,
                        phase.ended() ? now : null,
                        stepped ? now : null));
        return this;
    }

    public TestJobs committed(CheckpointId newest, List<CheckpointId> corrupt) {
        Instant now = Clock.systemUTC().instant();
        send(
                corrupt.isEmpty() ? EventType.CHECKPOINT_COMMITTED : EventType.CHECKPOINT_CORRUPT,
                new CheckpointState(job, tenant, newest, 1, 40, 16, 1 << 20, now, now, Durability.PEER, corrupt));
        return this;
    }

    private void send(EventType type, Object data) {
        long sequence = sequences.merge(type.topic(), 1L, Long::sum);
        var event = RunningService.JSON
                .createObjectNode()
                .put("specversion", "1.0")
                .put("id", UUID.randomUUID().toString())
                .put("source", "/muster/test")
                .put("type", type.type())
                .put("subject", job.value())
                .put("time", Clock.systemUTC().instant().toString())
                .put("datacontenttype", "application/json")
                .put("partitionkey", job.value())
                .put("sequence", Long.toString(sequence));
        event.set("data", RunningService.JSON.valueToTree(data));
        producer.send(new ProducerRecord<>(type.topic(), job.value(), RunningService.JSON.writeValueAsString(event)));
        producer.flush();
    }

    @Override
    public void close() {
        producer.close();
    }
}

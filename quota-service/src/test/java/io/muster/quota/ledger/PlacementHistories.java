package io.muster.quota.ledger;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a scheduler says of one job in the course of time: several generations of gangs, members released one by one. The
 * list is in the order of the events' sequence. {@code truth} is what was held, counted while it was made up.
 */
record PlacementHistories(List<PlacementState> states, Map<String, Long> truthByNode, long end) {

    static final Instant START = Instant.parse("2026-11-29T10:00:00Z");

    static PlacementHistories of(JobId job, TenantId tenant, QueuePath queue, long seed, boolean endsReleased) {
        var random = new Random(seed);
        List<PlacementState> states = new ArrayList<>();
        Map<String, Long> truth = new LinkedHashMap<>();
        long now = START.toEpochMilli();
        int generations = 1 + random.nextInt(4);
        for (int generation = 1; generation <= generations; generation++) {
            now += 1 + random.nextInt(5_000);
            long placed = now;
            int size = 1 + random.nextInt(5);
            int gpus = 1 + random.nextInt(8);
            int firstNode = random.nextInt(3);
            @Nullable Long[] until = new Long[size];
            states.add(state(job, tenant, queue, generation, firstNode, gpus, placed, until));
            boolean stays = generation == generations && !endsReleased;
            for (int member = 0; member < (stays ? size - 1 : size); member++) {
                now += random.nextInt(3_000);
                until[member] = now;
                truth.merge("n" + (firstNode + member), (now - placed) * gpus, Long::sum);
                states.add(state(job, tenant, queue, generation, firstNode, gpus, placed, until));
            }
            if (stays) {
                truth.merge(
                        "n" + (firstNode + size - 1), (START.toEpochMilli() + 1_000_000 - placed) * gpus, Long::sum);
            }
        }
        return new PlacementHistories(states, truth, START.toEpochMilli() + 1_000_000);
    }

    static PlacementState state(
            JobId job,
            TenantId tenant,
            QueuePath queue,
            int generation,
            int firstNode,
            int gpus,
            long placed,
            @Nullable Long[] until) {
        List<PlacedMember> members = new ArrayList<>();
        boolean open = false;
        for (int rank = 0; rank < until.length; rank++) {
            Long end = until[rank];
            open |= end == null;
            members.add(new PlacedMember(
                    rank,
                    new NodeId("n" + (firstNode + rank)),
                    IntStream.range(0, gpus).boxed().toList(),
                    // finer than a millisecond, as the scheduler's database has it
                    Instant.ofEpochMilli(placed).plusNanos(123_000),
                    end == null ? null : Instant.ofEpochMilli(end).plusNanos(456_000)));
        }
        return new PlacementState(
                job,
                tenant,
                new ProjectId("llm"),
                queue,
                generation,
                1,
                members,
                DomainType.RACK,
                "r1",
                Instant.ofEpochMilli(placed),
                open ? null : Instant.ofEpochMilli(placed + 1),
                List.of(),
                null);
    }
}

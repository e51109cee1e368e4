package io.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.contract.EventType;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduler.FakeOwners.Heard;
import io.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sixteen jobs at once on eight nodes, one of them a spare: a fake job-service starts each placed gang, runs it for a
 * while, frees its members in a random order, gives up some, while nodes go under EVICT holds and come back, so that gangs
 * are wounded and repaired. At the end every job ran, no GPU was ever held twice, healthy members were held without a gap,
 * no limit was passed and every GPU is back.
 */
class StormTest {

    private static final int JOBS = 16;
    private static final long RESEARCH_LIMIT = 24;

    @TempDir
    static Path keys;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noGpuIsHeldTwiceAndEveryJobEnds(long seed) {
        var random = new Random(seed);
        try (var owners = new FakeOwners();
                var scheduler = RunningScheduler.start(TestDatabases.fresh("storm"), keys)) {
            var checker = new AllocationChecker(scheduler.sql());
            owners.publish(Given.tree(1, RESEARCH_LIMIT));
            List<NodeState> nodes = new ArrayList<>(Given.cluster(2, 4));
            nodes.addLast(Given.spare(nodes.removeLast()));
            Set<NodeId> evicted = new TreeSet<>();
            owners.publish(nodes);
            var jobs = new JobService(owners, random);
            for (int number = 1; number <= JOBS; number++) {
                jobs.submit(number);
            }

            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> {
                        jobs.act();
                        if (random.nextInt(6) == 0) {
                            flip(nodes.get(random.nextInt(nodes.size())), evicted, owners);
                        }
                        return jobs.ended() == JOBS;
                    });
            await().until(() -> checker.held() == 0);

            checker.noGpuWasEverHeldTwice();
            checker.heldGpusAreThoseOfLiveMembers();
            checker.repairsLeaveNoGapAndNoOverlap();
            assertThat(checker.mostHeldAtOnce("research")).isPositive().isLessThanOrEqualTo(RESEARCH_LIMIT);
            assertThat(jobs.requeues()).as("the seed requeues").isPositive();
            List<Heard> heard = owners.placements();
            assertThat(heard).extracting(Heard::type).as("the seed repairs").contains(EventType.GANG_REPAIRED.type());
            sequencesRise(heard);
        }
    }

    private static void flip(NodeState node, Set<NodeId> evicted, FakeOwners owners) {
        if (evicted.remove(node.node())) {
            owners.publish(node);
        } else if (evicted.size() < 2) {
            evicted.add(node.node());
            owners.publish(Given.with(
                    node, Given.hold(HoldScope.NODE, node.node().value(), HoldEffect.EVICT, "LEASE_EXPIRED")));
        }
    }

    private static void sequencesRise(List<Heard> events) {
        Map<JobId, Heard> last = new TreeMap<>();
        for (Heard event : events) {
            Heard before = last.put(event.state().jobId(), event);
            if (before != null) {
                assertThat(event.sequence()).isGreaterThan(before.sequence());
                assertThat(event.state().generation())
                        .isGreaterThanOrEqualTo(before.state().generation());
            }
        }
    }

    /** What job-service would say, in random order and one thing at a time. */
    private static final class JobService {

        private final FakeOwners owners;
        private final Random random;
        private final Map<JobId, JobState> states = new TreeMap<>();
        private final Map<JobId, PlacementState> placements = new TreeMap<>();
        private int requeues;
        private long repairs;

        JobService(FakeOwners owners, Random random) {
            this.owners = owners;
            this.random = random;
        }

        void submit(int number) {
            QueuePath queue = random.nextBoolean() ? Given.RESEARCH : QueuePath.of("public");
            int nodes = 1 + random.nextInt(3);
            int gpus = 1 + random.nextInt(8);
            DomainType within = random.nextBoolean() ? DomainType.RACK : DomainType.CLUSTER;
            say(Given.queued(
                    Given.job(number), Given.ACME, queue, Given.gang(nodes, gpus, within), 1 + random.nextInt(9)));
        }

        void act() {
            repairs = owners.placements().stream()
                    .filter(heard -> heard.type().equals(EventType.GANG_REPAIRED.type()))
                    .count();
            owners.placements()
                    .forEach(heard -> placements.merge(
                            heard.state().jobId(),
                            heard.state(),
                            (old, next) -> next.generation() >= old.generation() ? next : old));
            List<JobId> ids = new ArrayList<>(placements.keySet());
            Collections.shuffle(ids, random);
            ids.stream().limit(3).forEach(id -> act(states.get(id), placements.get(id)));
        }

        private void act(JobState job, PlacementState gang) {
            if (gang.generation() > job.generation()) {
                boolean ended = job.phase().ended();
                say(Given.phase(
                        job,
                        ended ? job.phase() : JobPhase.STARTING,
                        gang.generation(),
                        ended ? nodes(gang) : List.of()));
                return;
            }
            if (job.phase().ended()
                    || gang.generation() < job.generation()
                    || gang.repairedBy() != null
                    || isRequeuedFrom(job, gang)) {
                return;
            }
            switch (job.phase()) {
                case STARTING -> say(Given.phase(job, JobPhase.RUNNING, job.generation(), List.of()));
                case RUNNING -> run(job, gang);
                default -> release(job, gang);
            }
        }

        /** It goes on, waits for its repair, ends (not before a first gang was repaired), or gives up. */
        private void run(JobState job, PlacementState gang) {
            int chance = random.nextInt(12);
            if (gang.lost().isEmpty() && chance < 2 && repairs > 0) {
                release(job, gang);
            } else if (!gang.lost().isEmpty() && chance == 0) {
                requeues++;
                say(Given.requeued(job, job.generation(), nodes(gang), gang.lost()));
            }
        }

        private static List<NodeId> nodes(PlacementState gang) {
            return gang.members().stream().map(PlacedMember::node).toList();
        }

        private void release(JobState job, PlacementState gang) {
            List<NodeId> released = new ArrayList<>(job.releasedMembers());
            List<NodeId> left = nodes(gang).stream()
                    .filter(node -> !released.contains(node))
                    .toList();
            if (!left.isEmpty()) {
                released.add(left.get(random.nextInt(left.size())));
                say(Given.phase(job, JobPhase.STOPPING, job.generation(), released));
            } else if (job.generation() == 1 && random.nextInt(4) == 0) {
                requeues++;
                say(Given.requeued(job, job.generation(), released, List.of(released.getFirst())));
            } else {
                say(Given.phase(job, JobPhase.SUCCEEDED, job.generation(), released));
            }
        }

        private static boolean isRequeuedFrom(JobState job, PlacementState gang) {
            return job.phase() == JobPhase.QUEUED && job.generation() == gang.generation();
        }

        private void say(JobState state) {
            states.put(state.jobId(), state);
            owners.publish(state);
        }

        long ended() {
            return states.values().stream().filter(job -> job.phase().ended()).count();
        }

        int requeues() {
            return requeues;
        }
    }
}

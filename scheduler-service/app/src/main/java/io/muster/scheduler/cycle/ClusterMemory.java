package io.muster.scheduler.cycle;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.contract.quota.QuotaTree;
import io.muster.scheduler.allocation.Commit;
import io.muster.scheduler.intake.ProjectionRepository.Changes;
import io.muster.scheduler.intake.ProjectionRepository.Sequenced;
import io.muster.scheduler.translation.AllocationRecords;
import io.muster.scheduler.translation.CoreIds;
import io.muster.scheduler.translation.JobRecords;
import io.muster.scheduler.translation.NodeRecords;
import io.muster.scheduler.translation.QuotaRecords;
import io.muster.scheduler.translation.Releases;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.ClusterRecord.GenerationKnown;
import io.muster.scheduling.cluster.ClusterRecord.MemberLost;
import io.muster.scheduling.cluster.ClusterRecord.MemberReleased;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.cluster.WorkingCopy;
import io.muster.scheduling.cycle.Decision;
import io.muster.scheduling.gang.DomainType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The cluster in the mind of the decision thread: the core's working copy, and beside it what the core does not need
 * (names, whole placements). Built from the database, then kept up to date by changes and commits. It is never repaired:
 * when a commit fails it is thrown away and built again.
 *
 * <p>A member is freed by its job's word that it is released, or lost by the core because its node is under an EVICT hold;
 * both wait here until they are committed. Which of the two it was is decided by what was taken in first.
 */
final class ClusterMemory {

    private final WorkingCopy working = WorkingCopy.of(ClusterImage.EMPTY);
    private final SortedMap<JobId, JobState> jobs = new ConcurrentSkipListMap<>();
    private final SortedMap<NodeId, NodeCondition> conditions = new ConcurrentSkipListMap<>();
    private final Map<JobId, PlacementState> live = new TreeMap<>();
    private final Map<JobId, Long> jobSequences = new TreeMap<>();
    private final Map<NodeId, Long> nodeSequences = new TreeMap<>();
    private final SortedMap<JobId, SortedSet<NodeId>> released = new TreeMap<>();
    private final SortedMap<JobId, SortedSet<NodeId>> lost = new TreeMap<>();
    private QuotaTree quotas = new QuotaTree(0, List.of());
    private long quotaSequence = -1;

    /** Nodes come first, so that allocations find theirs; jobs last, so that none is in line while it holds a gang. */
    static ClusterMemory load(Changes all, List<PlacementState> live, Map<JobId, Integer> generations) {
        ClusterMemory memory = new ClusterMemory();
        memory.absorbNodes(all.nodes());
        all.quotas().ifPresent(memory::absorb);
        for (PlacementState state : live) {
            memory.live.put(state.jobId(), state);
            memory.noteLost(memory.working.apply(AllocationRecords.live(state)));
        }
        generations.forEach(
                (job, generation) -> memory.working.apply(new GenerationKnown(CoreIds.core(job), generation)));
        memory.absorbJobs(all.jobs());
        return memory;
    }

    /** Takes in what is new; false if nothing was. */
    boolean absorb(Changes changes) {
        boolean nodes = absorbNodes(changes.nodes());
        boolean quotas = changes.quotas().map(this::absorb).orElse(false);
        return absorbJobs(changes.jobs()) | nodes | quotas;
    }

    private boolean absorbNodes(List<Sequenced<NodeState>> changed) {
        boolean any = false;
        for (Sequenced<NodeState> node : changed) {
            NodeState state = node.state();
            if (isNewer(nodeSequences.put(state.node(), node.sequence()), node.sequence())) {
                conditions.put(state.node(), state.condition());
                noteLost(working.apply(NodeRecords.of(state)));
                any = true;
            }
        }
        return any;
    }

    private boolean absorb(Sequenced<QuotaTree> tree) {
        if (!isNewer(quotaSequence, tree.sequence())) {
            return false;
        }
        quotaSequence = tree.sequence();
        quotas = tree.state();
        working.apply(QuotaRecords.of(tree.state()));
        return true;
    }

    private boolean absorbJobs(List<Sequenced<JobState>> changed) {
        boolean any = false;
        for (Sequenced<JobState> job : changed) {
            if (isNewer(jobSequences.put(job.state().jobId(), job.sequence()), job.sequence())) {
                absorb(job.state());
                any = true;
            }
        }
        return any;
    }

    private void absorb(JobState job) {
        jobs.put(job.jobId(), job);
        @Nullable PlacementState held = live.get(job.jobId());
        if (held != null) {
            for (NodeId node : Releases.of(job, held)) {
                if (!isNoted(lost, job.jobId(), node)) {
                    working.apply(new MemberReleased(CoreIds.core(job.jobId()), held.generation(), CoreIds.core(node)));
                    note(released, job.jobId(), node);
                }
            }
        }
        working.apply(JobRecords.of(job));
        forgetIfOver(job.jobId());
    }

    private static boolean isNewer(@Nullable Long known, long sequence) {
        return known == null || known < sequence;
    }

    private void noteLost(List<MemberLost> members) {
        for (MemberLost member : members) {
            note(lost, CoreIds.published(member.job()), CoreIds.published(member.node()));
        }
    }

    private static void note(SortedMap<JobId, SortedSet<NodeId>> freed, JobId job, NodeId node) {
        freed.computeIfAbsent(job, _ -> new TreeSet<>()).add(node);
    }

    private static boolean isNoted(SortedMap<JobId, SortedSet<NodeId>> freed, JobId job, NodeId node) {
        return nodes(freed, job).contains(node);
    }

    private static Set<NodeId> nodes(SortedMap<JobId, SortedSet<NodeId>> freed, JobId job) {
        @Nullable SortedSet<NodeId> nodes = freed.get(job);
        return nodes == null ? Set.of() : nodes;
    }

    WorkingCopy working() {
        return working;
    }

    /** What is to be written: all that was freed since the last commit, and these repairs and placements. */
    Commit commit(List<Decision> decisions) {
        SortedSet<JobId> touched = new TreeSet<>(released.keySet());
        touched.addAll(lost.keySet());
        List<Commit.Freeing> freeings = new ArrayList<>();
        touched.forEach(job -> freeings.add(new Commit.Freeing(held(job), nodes(released, job), nodes(lost, job))));
        List<Commit.Repair> repairs = new ArrayList<>();
        List<Commit.Placing> placings = new ArrayList<>();
        for (Decision decision : decisions) {
            switch (decision) {
                case Decision.Placed placed -> placings.add(placing(placed));
                case Decision.Repaired repaired -> repairs.add(repair(repaired));
                case Decision.Unrepaired _, Decision.Waiting _, Decision.Impossible _ -> {}
            }
        }
        return new Commit(freeings, repairs, placings);
    }

    private PlacementState held(JobId job) {
        return Objects.requireNonNull(live.get(job), job.value());
    }

    private Commit.Repair repair(Decision.Repaired repaired) {
        PlacementState held = held(CoreIds.published(repaired.job()));
        return new Commit.Repair(
                held,
                new Commit.Placing(
                        held.jobId(),
                        held.tenant(),
                        held.project(),
                        held.queue(),
                        repaired.generation(),
                        seats(repaired.plan().members()),
                        JobRecords.published(repaired.plan().reachedLevel()),
                        repaired.plan().reachedDomain()));
    }

    private static List<Commit.Seat> seats(List<Member> members) {
        return members.stream()
                .map(member -> new Commit.Seat(member.rank(), CoreIds.published(member.node()), member.gpus()))
                .toList();
    }

    private Commit.Placing placing(Decision.Placed placed) {
        JobId id = CoreIds.published(placed.job());
        JobState job = Objects.requireNonNull(jobs.get(id), id.value());
        DomainType level = placed.placement().reachedLevel();
        return new Commit.Placing(
                id,
                job.tenant(),
                job.project(),
                job.queue(),
                placed.generation(),
                seats(placed.record().members()),
                JobRecords.published(level),
                placed.placement().reachedDomain());
    }

    /** The commit is in the database. */
    void committed(List<PlacementState> states) {
        released.clear();
        lost.clear();
        for (PlacementState state : states) {
            if (state.endedAt() == null) {
                live.put(state.jobId(), state);
            } else {
                live.remove(state.jobId());
                forgetIfOver(state.jobId());
            }
        }
    }

    private void forgetIfOver(JobId id) {
        @Nullable JobState job = jobs.get(id);
        if (job != null && job.phase().ended() && !live.containsKey(id)) {
            jobs.remove(id);
            jobSequences.remove(id);
        }
    }

    Published publish(long epoch) {
        return new Published(true, epoch, working.publish(), jobs, conditions, quotas);
    }
}

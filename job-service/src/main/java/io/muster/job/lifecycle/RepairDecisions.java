package io.muster.job.lifecycle;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.placement.PlacementState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a gang that has lost nodes. The healthy members are stopped and kept; the next attempt starts as soon as
 * nothing of the old one is left on them and the newest generation known is whole. It does not matter from whom a loss is
 * heard first, or whether the next generation is: a member that the newer one does not have was lost. A generation that is
 * wounded before anything has started on it waits for the one after it, one that is lost whole is placed anew, and so is
 * one that is not repaired in time.
 */
final class RepairDecisions {

    private RepairDecisions() {}

    /** A newer placement, while the job has, or keeps nodes for, an attempt: what it does not have of that is lost. */
    static Job noticed(Job job, PlacementState placement, Set<NodeId> spares, Instant now) {
        Gang known = job.holding().gang();
        Gang newer = carryingHolds(known, Gang.of(placement, now));
        Job told = job.with(job.holding().noticing(newer));
        Job noted = known == null
                ? told
                : replaced(known, newer, spares)
                        .map(text -> told.noting(TimelineNote.Code.GANG_REPAIRED, text))
                        .orElse(told);
        List<NodeId> missing = job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .map(Member::node)
                .filter(node -> !newer.has(node))
                .toList();
        Job marked = AttemptDecisions.withoutNodes(noted, missing, now);
        return AttemptDecisions.superseded(marked, newer, now);
    }

    /** The scheduler says what the newest generation has lost. */
    static Job wounded(Job job, PlacementState placement, Instant now) {
        Gang gang = job.holding().gang();
        if (gang == null || !holdsNodes(job)) {
            return job;
        }
        List<NodeId> lost = Gang.lostIn(placement, job.holding().released()).stream()
                .filter(node -> !gang.wounded().contains(node))
                .toList();
        if (lost.isEmpty()) {
            return job;
        }
        Gang hurt = gang.wounding(lost);
        String text = "generation " + gang.generation() + " has lost "
                + hurt.lost().size() + " of "
                + gang.seats().size() + " nodes: " + names(hurt.lost())
                + (hurt.lostWhole() ? "; it is placed anew whole" : "; the scheduler replaces them, spares first");
        Job noted = job.with(job.holding().with(hurt)).noting(TimelineNote.Code.GANG_WOUNDED, text);
        boolean runsThere = job.live()
                .filter(attempt -> attempt.generation() == gang.generation())
                .isPresent();
        return AttemptDecisions.withoutNodes(noted, runsThere ? lost : List.of(), now);
    }

    /** No attempt lives, and the next one is to follow on nodes that the job keeps: now, later, or not at all. */
    static Job next(Job job, Instant now) {
        Attempt before = job.attemptOrThrow();
        Gang gang = gang(job);
        if (gang.lostWhole()) {
            String all = "all " + gang.seats().size() + " nodes of generation " + gang.generation() + " were lost: "
                    + names(gang.nodes());
            return requeued(job, gang, all, now);
        }
        return ready(before, gang) ? StartDecisions.next(job, gang, now) : job;
    }

    /** Whether the next attempt of a job that awaits it can start at this moment. */
    static boolean due(Job job) {
        Gang gang = gang(job);
        return gang.lostWhole() || ready(job.attemptOrThrow(), gang);
    }

    private static boolean ready(Attempt before, Gang gang) {
        boolean sure = gang.generation() > before.generation()
                || before.members().stream().noneMatch(one -> one.evidence().inQuestion());
        boolean cleared = before.members().stream()
                .filter(member -> gang.has(member.node()))
                .allMatch(Member::gone);
        return gang.whole() && sure && cleared;
    }

    /** It keeps nodes and cannot go on with them as they are. */
    static boolean awaitsRepair(Job job) {
        Attempt attempt = job.attempt();
        Ending ending = job.phase() == JobPhase.RECOVERING && attempt != null ? attempt.ending() : null;
        if (attempt == null || ending == null || !ending.keepsNodes()) {
            return false;
        }
        Gang gang = gang(job);
        boolean inQuestion = gang.generation() == attempt.generation()
                && attempt.members().stream().anyMatch(one -> one.evidence().inQuestion());
        return !gang.whole() || inQuestion;
    }

    /** The repair has not come in time. */
    static Job givenUp(Job job, Duration limit, Instant now) {
        Gang gang = gang(job);
        String missing = gang.lost().isEmpty() ? "an answer about its nodes" : "a replacement of " + names(gang.lost());
        String why = "generation " + gang.generation() + " has waited " + limit.toSeconds()
                + " s (muster.job.repair-wait) for " + missing + "; all "
                + gang.seats().size() + " nodes are released";
        Attempt attempt = job.attemptOrThrow();
        if (attempt.over()) {
            return requeued(job, gang, why, now);
        }
        Ending whole = new Ending(
                Ending.Follow.REQUEUE,
                attempt.ending() == null
                        ? JobReason.NODE_LOST
                        : attempt.ending().reason(),
                why + ", then the job is placed anew whole");
        return AttemptDecisions.advanced(job.with(attempt.judged(whole)).because(whole.reason(), whole.message()), now);
    }

    /** Nothing of the newest generation has been given back yet but what was lost, so the scheduler can repair it. */
    static boolean repairable(Job job) {
        List<NodeId> lost = job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .filter(Member::lost)
                .map(Member::node)
                .toList();
        return lost.containsAll(job.holding().released());
    }

    /**
     * What may be given to others of the newest generation: nodes on which nothing of the newest attempt can be running,
     * those of a replacement on which nothing was ever started among them.
     */
    static Job released(Job job, Attempt attempt) {
        Gang gang = job.holding().gang();
        if (gang == null) {
            return job;
        }
        List<NodeId> busy = attempt.members().stream()
                .filter(Predicate.not(Member::released))
                .map(Member::node)
                .toList();
        List<NodeId> free =
                gang.nodes().stream().filter(node -> !busy.contains(node)).toList();
        return job.with(job.holding().releasing(gang.generation(), free));
    }

    /** Which node took the place of which; empty if none changed. */
    static Optional<String> replaced(Gang before, Gang after, Set<NodeId> spares) {
        List<String> changes = new ArrayList<>();
        for (Gang.Seat seat : after.seats()) {
            NodeId old = before.at(seat.nodeRank()).orElse(null);
            if (old != null && !old.equals(seat.node())) {
                String spare = spares.contains(seat.node()) ? " (a spare)" : "";
                changes.add(seat.node() + spare + " replaces " + old + " as node rank " + seat.nodeRank());
            }
        }
        return changes.isEmpty()
                ? Optional.empty()
                : Optional.of("generation " + after.generation() + ": " + String.join(", ", changes));
    }

    static String names(List<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).collect(Collectors.joining(", "));
    }

    private static Job requeued(Job job, Gang gang, String why, Instant now) {
        return job.with(job.holding().releasing(gang.generation(), gang.nodes()).afterRound(false))
                .moved(JobTrigger.REQUEUED, JobReason.REQUEUED, "waits for a new placement; " + why, now);
    }

    /** A hold does not end because the gang has another number. */
    private static Gang carryingHolds(@Nullable Gang known, Gang newer) {
        return known == null ? newer : newer.holding(known.held());
    }

    static boolean holdsNodes(Job job) {
        return switch (job.phase()) {
            case STARTING, RUNNING, RECOVERING, STOPPING -> true;
            case QUEUED, SUSPENDED, SUCCEEDED, FAILED, CANCELLED -> false;
        };
    }

    /** The newest generation has it, and has lost it. */
    static boolean isLost(Job job, NodeId node) {
        return gang(job).lost().contains(node);
    }

    private static Gang gang(Job job) {
        Gang gang = job.holding().gang();
        return gang == null ? Gang.of(job.attemptOrThrow()) : gang;
    }
}

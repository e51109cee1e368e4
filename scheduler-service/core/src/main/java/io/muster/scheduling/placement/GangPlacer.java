package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.placement.goal.UniformGroup;
import io.muster.scheduling.placement.goal.WithinGoal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the place of one gang, all or nothing.
 *
 * <p>Hard goals, none of which is ever traded: GPU model, GPUs per node, driver minimum, holds, exclusions, free GPUs
 * (they choose nodes); one model and, where asked, one driver for all, spread, the required domain (they choose sets).
 * Soft goals, the earlier always wins: the preferred model; the tightest domain; whole nodes kept whole; the fullest
 * domain; then, inside the domain, few sub-domains and the fullest node. Equals are decided by number.
 *
 * <p>It is complete: if any set of nodes meets the hard goals, one is found. It reads summaries of domains and cells and
 * only the nodes of the cells it takes from. On failure nothing is changed and the answer is empty; {@code explain} says
 * why.
 */
public final class GangPlacer {

    private record Choice(PlacementScore score, UniformGroup group, Domain domain) {}

    private final ClusterView view;
    private final GangRequest request;
    private final Room room;

    private GangPlacer(ClusterView view, GangRequest request, Room room) {
        this.view = view;
        this.request = request;
        this.room = room;
    }

    /** The best placement as things are; members hold their GPUs from {@code since}. */
    public static Optional<Placement> place(ClusterView view, GangRequest request, Instant since) {
        GangPlacer placer = new GangPlacer(view, request, new Room(view, request, Outlook.NOW));
        return placer.choose()
                .map(choice -> new GangFiller(view, request, placer.room, choice.group())
                        .placement(choice.domain(), choice.score(), since));
    }

    /** Whether the gang would fit under these circumstances. */
    public static boolean fits(ClusterView view, GangRequest request, Outlook outlook) {
        return new GangPlacer(view, request, new Room(view, request, outlook))
                .choose()
                .isPresent();
    }

    private Optional<Choice> choose() {
        for (int stage = 0; stage < room.stages().size(); stage++) {
            for (DomainType level : WithinGoal.levels(request)) {
                Optional<Choice> best = best(stage, level);
                if (best.isPresent()) {
                    return best;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Choice> best(int stage, DomainType level) {
        List<UniformGroup> groups = room.stages().get(stage);
        @Nullable Choice best = null;
        for (int group = 0; group < groups.size(); group++) {
            for (int number = 0; number < view.domainCount(level); number++) {
                Domain domain = view.domain(level, number);
                if (room.nodes(groups.get(group), domain) >= request.nodes()
                        && WithinGoal.liesWithin(view, domain, request)) {
                    PlacementScore score = score(stage, group, groups.get(group), domain);
                    if (best == null || score.compareTo(best.score()) < 0) {
                        best = new Choice(score, groups.get(group), domain);
                    }
                }
            }
        }
        return Optional.ofNullable(best);
    }

    private PlacementScore score(int stage, int group, UniformGroup classes, Domain domain) {
        int broken = Math.max(0, request.nodes() - room.unbrokenNodes(classes, domain.summary()));
        int leftover = domain.summary().freeGpus() - request.gpus();
        return new PlacementScore(stage, domain.type(), broken, leftover, group, domain.number());
    }
}

package io.muster.scheduling.explain;

import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.placement.LargestGang;
import io.muster.scheduling.placement.NodeCensus;
import io.muster.scheduling.placement.goal.NodeRefusal;
import io.muster.scheduling.placement.goal.WithinGoal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What of the cluster and its use stands in the way: first what can never be, then what is not so now. */
final class CapacityBlockers {

    private static final Set<NodeRefusal> LASTING = EnumSet.of(
            NodeRefusal.OTHER_GPU_MODEL,
            NodeRefusal.TOO_FEW_GPUS,
            NodeRefusal.DRIVER_TOO_OLD,
            NodeRefusal.AVOIDED_BY_USER);
    private static final Set<NodeRefusal> ILL = EnumSet.of(
            NodeRefusal.NOT_ALIVE, NodeRefusal.HELD, NodeRefusal.SMALL_GANGS_ONLY, NodeRefusal.FAILED_FOR_THIS_JOB);

    private CapacityBlockers() {}

    /** Those of the counts that a healthier node would not be among. */
    static List<NodeCensus.Count> ill(List<NodeCensus.Count> counts) {
        return counts.stream().filter(count -> ILL.contains(count.reason())).toList();
    }

    static List<Blocker> of(GangSurvey survey) {
        if (survey.fitsNow()) {
            return List.of();
        }
        if (survey.census().registered() == 0) {
            return List.of(new Blocker(
                    PendingReason.WAITING_FOR_HEALTHY_NODES,
                    "No node is registered yet; the gang needs " + GangWords.gang(survey.request()) + ".",
                    "Wait until nodes have joined; if none do, ask an administrator."));
        }
        Optional<Blocker> never = never(survey);
        return never.isPresent() ? List.of(never.get()) : now(survey);
    }

    private static Optional<Blocker> never(GangSurvey survey) {
        if (survey.fitsEver()) {
            return Optional.empty();
        }
        GangRequest request = survey.request();
        int registered = survey.census().registered();
        if (survey.census().refused(NodeRefusal.OTHER_GPU_MODEL) == registered) {
            return Optional.of(new Blocker(
                    PendingReason.NO_MATCHING_GPU_TYPE,
                    "No registered node has GPUs of model " + request.gpuModels() + "; the cluster has "
                            + survey.models() + ".",
                    "Ask for one of " + survey.models() + ", or for any model."));
        }
        return Optional.of(survey.fitsEverAnywhere() ? exceedsDomain(survey) : exceedsCluster(survey));
    }

    private static Blocker exceedsCluster(GangSurvey survey) {
        GangRequest request = survey.request();
        int registered = survey.census().registered();
        List<NodeCensus.Count> lasting = survey.census().counts().stream()
                .filter(count -> LASTING.contains(count.reason()))
                .toList();
        int possible =
                registered - lasting.stream().mapToInt(NodeCensus.Count::nodes).sum();
        String why = lasting.isEmpty() ? "" : " (" + GangWords.tally(lasting) + ")";
        LargestGang largest = survey.ever(DomainType.CLUSTER);
        String sentence = possible < request.nodes()
                ? "The gang needs " + GangWords.gang(request) + "; only " + possible + " of " + registered
                        + " registered nodes could ever be a member" + why + "."
                : "The gang needs " + GangWords.gang(request) + " of " + GangWords.sameness(request)
                        + " in one cluster; the largest such set has " + GangWords.count(largest.nodes(), "node") + why
                        + ".";
        String hint = largest.nodes() == 0
                ? "Ask for fewer GPUs per node, an older driver or fewer nodes to avoid."
                : "Ask for at most " + GangWords.gang(largest.nodes(), request)
                        + ", or loosen what excludes the others.";
        return new Blocker(PendingReason.EXCEEDS_CLUSTER, sentence, hint);
    }

    private static Blocker exceedsDomain(GangSurvey survey) {
        GangRequest request = survey.request();
        DomainType bound = WithinGoal.bound(request);
        LargestGang largest = survey.ever(bound);
        String wider = DomainType.aboveNode().stream()
                .filter(level ->
                        level.compareTo(bound) > 0 && survey.ever(level).nodes() >= request.nodes())
                .findFirst()
                .map(level -> ", or within one " + level.word() + ", which can hold it")
                .orElse(", or a looser spread");
        return new Blocker(
                PendingReason.EXCEEDS_TOPOLOGY_DOMAIN,
                "The gang needs " + GangWords.gang(request) + GangWords.shape(request)
                        + "; with every node free, the largest such gang is " + GangWords.largest(largest) + ".",
                largest.nodes() == 0
                        ? "Ask for another domain" + wider + "."
                        : "Ask for at most " + GangWords.count(largest.nodes(), "node") + wider + ".");
    }

    private static List<Blocker> now(GangSurvey survey) {
        GangRequest request = survey.request();
        NodeCensus census = survey.census();
        List<Blocker> found = new ArrayList<>();
        boolean enough = census.freeGpus() >= request.gpus() && request.gpusPerNode() > 0;
        if (census.freeGpusIfHealthy() < request.gpus()) {
            found.add(new Blocker(
                    PendingReason.WAITING_FOR_GPUS,
                    "The gang needs " + GangWords.count(request.gpus(), "GPU") + " as " + GangWords.gang(request)
                            + GangWords.shape(request) + "; " + census.freeGpus() + " matching GPUs are free"
                            + spares(survey) + ".",
                    "It can start when running jobs release GPUs"
                            + (spares(survey).isEmpty()
                                    ? ". "
                                    : ", or an administrator gives a spare to new jobs"
                                            + " (DELETE /api/v1/nodes/{node}/spare). ")
                            + offer(survey)));
        } else if (enough) {
            found.add(new Blocker(
                    PendingReason.FRAGMENTED,
                    "Fragmentation: " + census.freeGpus() + " matching GPUs are free and " + request.gpus()
                            + " are needed, but " + placeable(survey) + " of " + request.nodes()
                            + " nodes are placeable as " + GangWords.gang(request) + GangWords.shape(request)
                            + spares(survey) + ".",
                    offer(survey)));
        }
        boolean ill = !ill(census.counts()).isEmpty();
        if (ill && (found.isEmpty() || survey.fitsIfHealthy()) || found.isEmpty()) {
            found.add(unhealthy(survey));
        }
        return found;
    }

    private static Blocker unhealthy(GangSurvey survey) {
        List<NodeCensus.Count> ill = ill(survey.census().counts());
        return new Blocker(
                PendingReason.WAITING_FOR_HEALTHY_NODES,
                "The gang needs " + GangWords.gang(survey.request()) + GangWords.shape(survey.request()) + "; "
                        + GangWords.count(survey.census().fitting(), "node")
                        + (survey.census().fitting() == 1 ? " fits now and " : " fit now and ") + GangWords.tally(ill)
                        + spares(survey) + ".",
                "It can start when nodes are back in service. " + offer(survey));
    }

    /** {@code ; 1 node is kept as a spare for repairs (n4)}; empty where no node is out for that. */
    private static String spares(GangSurvey survey) {
        return survey.census().counts().stream()
                .filter(count -> count.reason() == NodeRefusal.KEPT_AS_SPARE)
                .map(count -> "; " + GangWords.tally(count))
                .findFirst()
                .orElse("");
    }

    private static int placeable(GangSurvey survey) {
        return survey.now(WithinGoal.bound(survey.request())).nodes();
    }

    /** The counter-offer: what could start at once. */
    private static String offer(GangSurvey survey) {
        DomainType bound = WithinGoal.bound(survey.request());
        LargestGang largest = survey.now(bound);
        return "Largest gang of this kind within one " + bound.word() + " now: " + GangWords.largest(largest) + ".";
    }
}

package io.muster.scheduler.visibility;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.muster.contract.job.DomainType;
import io.muster.scheduler.cycle.CycleMetrics;
import io.muster.scheduler.cycle.Publication;
import io.muster.scheduler.cycle.Published;
import io.muster.scheduler.translation.CoreIds;
import io.muster.scheduler.visibility.ClusterCapacity.ModelCapacity;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.KnownJob;
import io.muster.scheduling.cluster.LineEntry;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.cluster.OrderedMap;
import io.muster.scheduling.explain.PendingReason;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.springframework.stereotype.Component;

/** Gauges over the published image; what several gauges share is computed once per image. */
@Component
class ClusterMetrics implements MeterBinder {

    private final Publication publication;
    private final CycleMetrics cycles;
    private volatile Figures last;

    ClusterMetrics(Publication publication, CycleMetrics cycles) {
        this.publication = publication;
        this.cycles = cycles;
        this.last = figures(publication.current());
    }

    private record Figures(
            ClusterImage image,
            ClusterCapacity capacity,
            int fragmentedGpus,
            Map<DomainType, Integer> largestGangs,
            Map<PendingReason, Integer> waiting) {

        int gpus(ToIntFunction<ModelCapacity> state) {
            return capacity.models().stream().mapToInt(state).sum();
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gpus(registry, "free", ModelCapacity::free);
        gpus(registry, "spare", ModelCapacity::spare);
        gpus(registry, "held", ModelCapacity::held);
        gpus(registry, "allocated", ModelCapacity::allocated);
        Gauge.builder("muster.gpus.fragmented", this, self -> self.now().fragmentedGpus())
                .description("Free GPUs of nodes that are not free as a whole: no gang of whole nodes gets them")
                .register(registry);
        for (DomainType level : DomainType.values()) {
            Gauge.builder(
                            "muster.largest.gang.nodes",
                            this,
                            self -> self.now().largestGangs().getOrDefault(level, 0))
                    .description("Nodes of the largest gang of whole nodes that could start now")
                    .tag("level", level.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        for (PendingReason reason : PendingReason.values()) {
            Gauge.builder(
                            "muster.jobs.waiting",
                            this,
                            self -> self.now().waiting().getOrDefault(reason, 0))
                    .description("Jobs in line, and wounded gangs that wait for a replacement, by their main reason")
                    .tag("reason", reason.name())
                    .register(registry);
        }
        Gauge.builder("muster.leader.epoch", publication, it -> it.current().epoch())
                .description("The epoch under which this instance leads; 0 for a standby")
                .register(registry);
    }

    private void gpus(MeterRegistry registry, String state, ToIntFunction<ModelCapacity> part) {
        Gauge.builder("muster.gpus", this, self -> self.now().gpus(part))
                .description("GPUs of the cluster; each counts in one state")
                .tag("state", state)
                .register(registry);
    }

    private Figures now() {
        Published published = publication.current();
        Figures known = last;
        if (known.image() != published.image()) {
            known = figures(published);
            last = known;
        }
        return known;
    }

    private void count(OrderedMap<LineEntry, KnownJob> line, Map<PendingReason, Integer> waiting) {
        for (var entry : line) {
            PendingReason reason = cycles.lastReason(
                            CoreIds.published(entry.getValue().job()))
                    .orElse(PendingReason.NOT_EVALUATED_YET);
            waiting.merge(reason, 1, Integer::sum);
        }
    }

    private Figures figures(Published published) {
        Map<DomainType, Integer> largest = new EnumMap<>(DomainType.class);
        LargestGangs.of(published.image(), null)
                .models()
                .forEach(model ->
                        model.levels().forEach(level -> largest.merge(level.level(), level.nodes(), Math::max)));
        Map<PendingReason, Integer> waiting = new EnumMap<>(PendingReason.class);
        count(published.image().waiting(), waiting);
        count(published.image().repairable(), waiting);
        return new Figures(
                published.image(), ClusterCapacity.of(published), fragmented(published.image()), largest, waiting);
    }

    /** Spares count as little as they do among the free. */
    private static int fragmented(ClusterImage image) {
        int gpus = 0;
        for (int node = 0; node < image.nodeCount(); node++) {
            if (image.registered(node)) {
                NodeClass nodeClass = image.nodeClass(image.classNumber(node));
                boolean counts = nodeClass.takesSmallWork() && !nodeClass.spare();
                gpus += counts && image.freeGpus(node) < image.gpus(node) ? image.freeGpus(node) : 0;
            }
        }
        return gpus;
    }
}

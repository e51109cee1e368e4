package io.muster.simulator.failure;

import io.muster.simulator.failure.Chance.Use;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * Everything that will happen to the nodes, before anything is decided: each kind of event comes singly and independently
 * (a Poisson process), and picks its node, rack, leaf or wave with equal chance. A node that is out already is not hit
 * again by a fault of its own: the simulation drops that hit, which leaves the rate per node that is up as it was set.
 */
final class FaultPlan {

    private final ClusterPlan cluster;
    private final FaultRates rates;
    private final Span detect;
    private final long until;
    private final Chance chance;
    private final List<Hit> hits = new ArrayList<>();

    private FaultPlan(FailureSettings settings, long seed) {
        this.cluster = settings.cluster();
        this.rates = settings.rates();
        this.detect = settings.phases().detect();
        this.until = settings.millis();
        this.chance = new Chance(seed);
    }

    /** In order of time. */
    static List<Hit> of(FailureSettings settings, long seed) {
        FaultPlan plan = new FaultPlan(settings, seed);
        plan.singles();
        plan.warnings();
        plan.domains();
        plan.releases();
        Collections.sort(plan.hits);
        return List.copyOf(plan.hits);
    }

    private interface Event {
        void at(long moment, SplittableRandom stream);
    }

    /** One event per {@code millis} / {@code count} on average. */
    private void each(Use use, long count, double millis, Event event) {
        if (count == 0) {
            return;
        }
        SplittableRandom stream = chance.stream(use);
        for (long at = Chance.gap(stream, millis / count); at < until; at += Chance.gap(stream, millis / count)) {
            event.at(at, stream);
        }
    }

    private double millionNodeDays() {
        return 1e6 * FailureSettings.DAY_MILLIS / cluster.nodes();
    }

    private static double thousandDays() {
        return 1e3 * FailureSettings.DAY_MILLIS;
    }

    private void singles() {
        each(Use.NODE, rates.faultsPerMillionNodeDays(), millionNodeDays(), (at, stream) -> {
            int node = stream.nextInt(cluster.nodes());
            boolean quick = stream.nextInt(100) < rates.quickRepairPercent();
            long out = (quick ? rates.quickRepair() : rates.hardwareRepair()).draw(stream);
            hits.add(new Hit(at, Cause.NODE, node, detect.draw(stream), out));
        });
    }

    private void warnings() {
        each(
                Use.WARNING,
                rates.warningsPerMillionNodeDays(),
                millionNodeDays(),
                (at, stream) -> hits.add(new Hit(
                        at,
                        Cause.WARNING,
                        stream.nextInt(cluster.nodes()),
                        0,
                        rates.warning().draw(stream))));
    }

    private void domains() {
        each(Use.POWER_UNIT, rates.powerFaultsPerThousandDays(), thousandDays(), (at, stream) -> {
            int rack = stream.nextInt(cluster.racks());
            domain(at, Cause.POWER_UNIT, node -> cluster.rackOf(node) == rack, rates.powerOutage(), stream);
        });
        each(Use.LEAF, rates.leafFaultsPerThousandDays(), thousandDays(), (at, stream) -> {
            int leaf = stream.nextInt(cluster.leaves());
            domain(at, Cause.LEAF, node -> cluster.leafOf(node) == leaf, rates.leafOutage(), stream);
        });
    }

    /** All nodes at once, each noticed by itself, all back at the same time. */
    private void domain(long at, Cause cause, IntPredicate within, Span outage, SplittableRandom stream) {
        long out = outage.draw(stream);
        for (int node = 0; node < cluster.nodes(); node++) {
            if (within.test(node)) {
                hits.add(new Hit(at, cause, node, detect.draw(stream), out));
            }
        }
    }

    private void releases() {
        FaultRates.Release release = rates.release();
        each(Use.RELEASE, rates.badReleasesPerThousandDays(), thousandDays(), (at, stream) -> {
            long rolledBack =
                    at + release.window().mostMillis() + release.rollback().draw(stream);
            for (int node = 0; node < cluster.nodes(); node++) {
                boolean reached = stream.nextInt(1_000) < release.wavePerMille();
                if (reached && stream.nextInt(100) < release.failingPercent()) {
                    long fails = at + release.window().draw(stream);
                    hits.add(new Hit(fails, Cause.RELEASE, node, detect.draw(stream), rolledBack - fails));
                }
            }
        });
    }
}

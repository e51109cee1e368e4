package io.muster.simulator.failure;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The comparison for people: what was assumed, the ratio, and where the time went. */
final class ComparisonTable {

    private static final String ROW = "%-32s %14s %18s %14s%n";

    private final Comparison comparison;
    private final FailureSettings settings;
    private final Outcome single;
    private final Outcome correlated;
    private final StringBuilder text = new StringBuilder();

    private ComparisonTable(Comparison comparison) {
        this.comparison = comparison;
        this.settings = comparison.settings();
        this.single = Comparison.together(comparison.single());
        this.correlated = Comparison.together(comparison.correlated());
    }

    static String of(Comparison comparison) {
        ComparisonTable table = new ComparisonTable(comparison);
        table.assumed();
        table.ratio();
        table.counts();
        table.phases();
        table.verdict();
        return table.text.toString();
    }

    private void assumed() {
        ClusterPlan cluster = settings.cluster();
        CheckpointCourse saves = settings.checkpoints();
        line(
                "%,d GPUs in %,d nodes: one job on %,d nodes, %d spares; %d days, %d runs from seed %d",
                cluster.nodes() * cluster.gpusPerNode(),
                cluster.nodes(),
                cluster.jobNodes(),
                cluster.spares(),
                settings.days(),
                comparison.single().size(),
                comparison.firstSeed());
        line("phases %s: %s", settings.phases().name(), settings.phases().source());
        line(
                "saves every %d s, %d-%d ms of stall each, safe in two memories after %d s, every %d. also in the store",
                saves.intervalMillis() / 1_000,
                saves.stall().leastMillis(),
                saves.stall().mostMillis(),
                saves.peerLagMillis() / 1_000,
                saves.durableEvery());
        line("");
    }

    private void ratio() {
        row("", "single faults", "and correlated", "formula");
        row(
                "effective training time",
                percent(single.effective()),
                percent(correlated.effective()),
                percent(comparison.expectation().effective()));
        if (comparison.single().size() > 1) {
            row("  least of the runs", least(comparison.single()), least(comparison.correlated()), "");
            row("  most of the runs", most(comparison.single()), most(comparison.correlated()), "");
        }
    }

    private static String least(List<Outcome> runs) {
        return percent(Comparison.least(runs));
    }

    private static String most(List<Outcome> runs) {
        return percent(Comparison.most(runs));
    }

    private void counts() {
        row(
                "interruptions a day",
                perDay(single, single.interruptionsInAll()),
                perDay(correlated, correlated.interruptionsInAll()),
                perDay(comparison.expectedInterruptionsPerDay()));
        for (Cause cause : Cause.values()) {
            if (cause.takesTheNodeOut()) {
                row("  by " + cause.words(), count(single, cause), count(correlated, cause), "");
            }
        }
        row(
                "events on nodes a day",
                perDay(single, Outcome.sum(single.hits())),
                perDay(correlated, Outcome.sum(correlated.hits())),
                "");
        row("losses during a recovery", single.lossesDuringRecovery() + "", correlated.lossesDuringRecovery() + "", "");
        row("spares exhausted", single.exhausted() + "", correlated.exhausted() + "", "");
        row("gang queued whole", single.queuedWhole() + "", correlated.queuedWhole() + "", "");
        row("restored from the store", single.fromStore() + "", correlated.fromStore() + "", "");
        line("");
    }

    private void phases() {
        line("where the time went, of the wall time");
        for (Map.Entry<Phase, Long> entry : single.phases().entrySet()) {
            Phase phase = entry.getKey();
            row(
                    "  " + phase.words(),
                    percent(single.share(phase)),
                    percent(correlated.share(phase)),
                    percent(Expectation.share(settings, phase)));
        }
        row("costs most", single.costliest().words(), correlated.costliest().words(), "");
        line("");
    }

    private void verdict() {
        Expectation expected = comparison.expectation();
        line(
                "lost to single faults: %s; the formula (Meta, arXiv 2410.21680) expects %s, within %s: %s",
                percent(single.lostShare()),
                percent(expected.lostShare()),
                percent(expected.tolerance()),
                expected.agreesWith(single) ? "it agrees" : "IT DIFFERS; does the job wait for nodes?");
    }

    private static String count(Outcome outcome, Cause cause) {
        return perDay(outcome, outcome.interruptions().getOrDefault(cause, 0L));
    }

    private static String perDay(Outcome outcome, long count) {
        return perDay(outcome.perDay(count));
    }

    private static String perDay(double number) {
        return String.format(Locale.ROOT, "%.2f", number);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.4f %%", 100 * share);
    }

    private void row(String name, String one, String two, String three) {
        text.append(String.format(Locale.ROOT, ROW, name, one, two, three).replaceAll(" +\n", "\n"));
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}

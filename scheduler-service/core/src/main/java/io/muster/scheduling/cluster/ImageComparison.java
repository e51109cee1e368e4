package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Says where two views differ, numbers included: the same records must give the same numbers. Summaries are compared by
 * what they count. The image version is left out, because it counts batches.
 */
public final class ImageComparison {

    private final Tables left;
    private final Tables right;
    private final List<String> differences = new ArrayList<>();

    private ImageComparison(Tables left, Tables right) {
        this.left = left;
        this.right = right;
    }

    /** Empty for equal views. */
    public static List<String> differences(ClusterView left, ClusterView right) {
        ImageComparison comparison = new ImageComparison(left.tables, right.tables);
        comparison.compare("sources", left.tables.provenance.sequences(), right.tables.provenance.sequences());
        comparison.compare("jobs", left.tables.jobs, right.tables.jobs);
        comparison.compare("generations", left.tables.generations, right.tables.generations);
        comparison.compare("allocations", left.tables.allocations, right.tables.allocations);
        comparison.compare("line", left.tables.waiting, right.tables.waiting);
        comparison.compare("repairs", left.tables.repairable, right.tables.repairable);
        comparison.compare("residents", left.tables.residents, right.tables.residents);
        comparison.compare("quota tree", left.tables.quotaTree, right.tables.quotaTree);
        comparison.compare("quota use", boxed(left.tables.quotaUsed), boxed(right.tables.quotaUsed));
        comparison.compare("classes", List.of(left.tables.classes), List.of(right.tables.classes));
        comparison.compareNodes();
        comparison.comparePlaces();
        return List.copyOf(comparison.differences);
    }

    private void compareNodes() {
        compare("node count", left.nodeCount, right.nodeCount);
        for (int node = 0; node < Math.min(left.nodeCount, right.nodeCount); node++) {
            compare("id of node " + node, left.nodeId(node), right.nodeId(node));
            compare("node " + left.nodeId(node), left.row(node), right.row(node));
        }
    }

    private void comparePlaces() {
        compare("cell count", left.cells.length, right.cells.length);
        for (int cell = 0; cell < Math.min(left.cells.length, right.cells.length); cell++) {
            compare("nodes of cell " + cell, nodes(left.cells[cell]), nodes(right.cells[cell]));
            compareSummaries("cell " + cell, left.cells[cell].summary(), right.cells[cell].summary());
        }
        for (DomainType type : DomainType.aboveNode()) {
            Domain[] these = left.domains[type.ordinal() - 1];
            Domain[] those = right.domains[type.ordinal() - 1];
            compare(type + " count", these.length, those.length);
            for (int number = 0; number < Math.min(these.length, those.length); number++) {
                String name = type.word() + " " + these[number].name();
                compare("name of " + name, these[number].name(), those[number].name());
                compare("cells of " + name, cells(these[number]), cells(those[number]));
                compareSummaries(name, these[number].summary(), those[number].summary());
            }
        }
    }

    private void compareSummaries(String of, FreeSummary these, FreeSummary those) {
        compare("free GPUs of " + of, these.freeGpus(), those.freeGpus());
        for (int number = 0; number < Math.min(left.classes.length, right.classes.length); number++) {
            for (int free = 0; free <= left.classes[number].gpus(); free++) {
                compare(
                        "nodes of " + of + " in class " + number + " with " + free + " free",
                        these.nodes(number, free),
                        those.nodes(number, free));
            }
        }
    }

    private void compare(String what, Object these, Object those) {
        if (!Objects.equals(these, those)) {
            differences.add(what + ": " + these + " against " + those);
        }
    }

    private static List<Long> boxed(long[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private static List<Integer> nodes(Cell cell) {
        List<Integer> nodes = new ArrayList<>();
        for (int at = 0; at < cell.nodeCount(); at++) {
            nodes.add(cell.node(at));
        }
        return nodes;
    }

    private static List<Integer> cells(Domain domain) {
        List<Integer> cells = new ArrayList<>();
        for (int at = 0; at < domain.cellCount(); at++) {
            cells.add(domain.cell(at));
        }
        return cells;
    }
}

package io.muster.scheduling.invariant;

import io.muster.scheduling.cluster.Cell;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.cluster.FreeSummary;
import io.muster.scheduling.gang.DomainType;
import java.util.ArrayList;
import java.util.List;

/** Every summary of a cell or domain equals a recount of its nodes, and every node stands in exactly its cell. */
final class SummaryInvariants {

    private final ClusterView view;
    private final List<String> violations = new ArrayList<>();

    private SummaryInvariants(ClusterView view) {
        this.view = view;
    }

    static List<String> violations(ClusterView view) {
        SummaryInvariants check = new SummaryInvariants(view);
        check.cells();
        for (DomainType type : DomainType.aboveNode()) {
            check.domains(type);
        }
        return check.violations;
    }

    private void cells() {
        int standing = 0;
        for (int number = 0; number < view.cellCount(); number++) {
            Cell cell = view.cell(number);
            List<Integer> nodes = new ArrayList<>();
            for (int at = 0; at < cell.nodeCount(); at++) {
                nodes.add(cell.node(at));
                if (view.cellNumber(cell.node(at)) != number) {
                    violations.add("cell " + number + " claims node " + view.nodeId(cell.node(at)));
                }
            }
            standing += nodes.size();
            recount("cell " + number, nodes, cell.summary());
        }
        int registered = 0;
        for (int node = 0; node < view.nodeCount(); node++) {
            registered += view.registered(node) ? 1 : 0;
        }
        if (standing != registered) {
            violations.add(registered + " nodes are registered, cells have " + standing);
        }
    }

    private void domains(DomainType type) {
        for (int number = 0; number < view.domainCount(type); number++) {
            Domain domain = view.domain(type, number);
            List<Integer> nodes = new ArrayList<>();
            for (int node = 0; node < view.nodeCount(); node++) {
                if (view.registered(node) && view.cell(view.cellNumber(node)).domain(type) == number) {
                    nodes.add(node);
                }
            }
            recount(type.word() + " " + domain.name(), nodes, domain.summary());
        }
    }

    private void recount(String name, List<Integer> nodes, FreeSummary summary) {
        int[][] counts = new int[view.classCount()][];
        for (int number = 0; number < counts.length; number++) {
            counts[number] = new int[view.nodeClass(number).gpus() + 1];
        }
        int free = 0;
        for (int node : nodes) {
            counts[view.classNumber(node)][view.freeGpus(node)]++;
            free += view.nodeClass(view.classNumber(node)).takesNewJobs() ? view.freeGpus(node) : 0;
        }
        if (summary.freeGpus() != free) {
            violations.add(name + " counts " + summary.freeGpus() + " free GPUs, its nodes have " + free);
        }
        for (int number = 0; number < counts.length; number++) {
            for (int gpus = 0; gpus < counts[number].length; gpus++) {
                if (summary.nodes(number, gpus) != counts[number][gpus]) {
                    violations.add(name + " counts " + summary.nodes(number, gpus) + " nodes of class " + number
                            + " with " + gpus + " free, there are " + counts[number][gpus]);
                }
            }
        }
    }
}

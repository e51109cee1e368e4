package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives nodes, classes, domains and cells their dense numbers in order of appearance. A node keeps its number after it
 * left the registry and gets it back if it returns; a restart numbers anew.
 */
final class Numbering {

    private final Tables tables;
    private final UndoLog undo;
    private final Map<NodeClass, Integer> classes = new HashMap<>();
    private final Map<NodeDomains, Integer> cells = new HashMap<>();
    private final List<Map<String, Integer>> domains = DomainType.aboveNode().stream()
            .<Map<String, Integer>>map(type -> new HashMap<>())
            .toList();

    Numbering(Tables tables, UndoLog undo) {
        this.tables = tables;
        this.undo = undo;
        for (int number = 0; number < tables.classes.length; number++) {
            classes.put(tables.classes[number], number);
        }
        for (DomainType type : DomainType.aboveNode()) {
            for (Domain domain : tables.domains[type.ordinal() - 1]) {
                domains.get(type.ordinal() - 1).put(domain.name(), domain.number());
            }
        }
        for (Cell cell : tables.cells) {
            cells.put(
                    new NodeDomains(
                            name(cell, DomainType.RACK),
                            name(cell, DomainType.POWER),
                            name(cell, DomainType.POD),
                            name(cell, DomainType.CLUSTER)),
                    cell.number());
        }
    }

    private String name(Cell cell, DomainType type) {
        return tables.domains[type.ordinal() - 1][cell.domain(type)].name();
    }

    int node(NodeId id) {
        @Nullable Integer known = tables.nodeNumbers.get(id);
        if (known != null) {
            return known;
        }
        tables.appendNode(id);
        undo.add(tables::removeNewestNode);
        return tables.nodeCount - 1;
    }

    int nodeClass(NodeClass nodeClass) {
        @Nullable Integer known = classes.get(nodeClass);
        if (known != null) {
            return known;
        }
        int number = tables.classes.length;
        tables.appendClass(nodeClass);
        classes.put(nodeClass, number);
        undo.add(() -> {
            tables.removeNewestClass();
            classes.remove(nodeClass);
        });
        return number;
    }

    int cell(NodeDomains place) {
        @Nullable Integer known = cells.get(place);
        if (known != null) {
            return known;
        }
        int[] numbers = DomainType.aboveNode().stream()
                .mapToInt(type -> domain(type, place.above(type)))
                .toArray();
        int number = tables.cells.length;
        tables.appendCell(numbers);
        cells.put(place, number);
        undo.add(() -> {
            tables.removeNewestCell();
            cells.remove(place);
        });
        return number;
    }

    private int domain(DomainType type, String name) {
        Map<String, Integer> ofType = domains.get(type.ordinal() - 1);
        @Nullable Integer known = ofType.get(name);
        if (known != null) {
            return known;
        }
        int number = tables.domains[type.ordinal() - 1].length;
        tables.appendDomain(type, name);
        ofType.put(name, number);
        undo.add(() -> {
            tables.removeNewestDomain(type);
            ofType.remove(name);
        });
        return number;
    }
}

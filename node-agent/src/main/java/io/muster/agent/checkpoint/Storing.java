package io.muster.agent.checkpoint;

import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * Which committed steps of an attempt this node stores whatever is saved meanwhile, so that a store slower than the saves
 * still gets whole checkpoints. The oldest of them goes first, and none is overtaken before it is DURABLE or given up.
 * Whenever a step is DURABLE, on every node, the newest committed one is chosen, and the commit that follows it as soon as
 * there is one: nodes that heard of DURABLE up to one commit apart have a step in common, and that gets DURABLE next. What
 * is stored here waits for the other nodes; meanwhile the newest commit of the moment is stored too. Nodes that heard more
 * than one commit apart, or of which one lost its shard, meet only by that, at no foreseeable step.
 */
final class Storing {

    private static final int NOT_STORED = 2;
    private static final int STORED = 4;

    private final NavigableSet<Long> wanted = new TreeSet<>();

    Set<Long> wanted() {
        return wanted;
    }

    /** A step is in the store from all nodes; it is chosen anew. */
    void durable() {
        wanted.clear();
    }

    /**
     * Chooses what is free to be chosen.
     *
     * @param committed those that are whole here and have not ended
     * @return what need not be asked about any more: stored here, and older and newer ones are waited for
     */
    List<Long> choose(NavigableSet<Long> committed, LongPredicate stored) {
        wanted.retainAll(committed);
        List<Long> open = open(stored);
        if (open.isEmpty() && !committed.isEmpty()) {
            wanted.add(committed.last());
            open = open(stored);
        }
        if (!open.isEmpty() && open.size() < NOT_STORED) {
            Long next = committed.higher(open.getLast());
            if (next != null) {
                wanted.add(next);
            }
        }
        List<Long> waiting = wanted.stream().filter(stored::test).toList();
        List<Long> enough = waiting.size() <= STORED ? List.of() : waiting.subList(1, waiting.size() - STORED + 1);
        enough.forEach(wanted::remove);
        return enough;
    }

    private List<Long> open(LongPredicate stored) {
        return wanted.stream().filter(step -> !stored.test(step)).toList();
    }
}

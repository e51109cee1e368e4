package io.muster.scheduling.cluster;

import java.util.ArrayList;
import java.util.List;

/** How to take back what was done since the last publication, newest first. */
final class UndoLog {

    private final List<Runnable> steps = new ArrayList<>();

    void add(Runnable step) {
        steps.add(step);
    }

    int mark() {
        return steps.size();
    }

    void undoTo(int mark) {
        if (mark > steps.size()) {
            throw new IllegalStateException(
                    "mark " + mark + " is past the " + steps.size() + " steps that can be undone");
        }
        while (steps.size() > mark) {
            steps.removeLast().run();
        }
    }

    void forget() {
        steps.clear();
    }
}

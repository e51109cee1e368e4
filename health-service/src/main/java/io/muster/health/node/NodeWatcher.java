package io.muster.health.node;

/** Told of every committed change that this instance made, after its commit. */
@FunctionalInterface
public interface NodeWatcher {

    void changed(NodeRecord node);
}

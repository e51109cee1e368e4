package io.muster.job.lifecycle;

import io.muster.contract.id.NodeId;
import java.util.List;

/**
 * A job has changed; heard inside this process after the commit.
 *
 * @param touched nodes whose assignments changed
 * @param due the reconciler has something to do for it now
 */
public record JobChanged(Job before, Job after, List<NodeId> touched, boolean due) {
    public JobChanged {
        touched = List.copyOf(touched);
    }
}

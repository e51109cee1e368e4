package io.muster.job.lifecycle;

import io.muster.contract.id.NodeId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node that is not to be used for a job now. It failed a start of the job and is shunned until health-service says that
 * nothing keeps new work off it; or it was lost, and is shunned until it has begun a newer life. {@link Shunning} bounds
 * both.
 *
 * @param since when it was noted, by the clock of this service
 * @param lostInSession the life in which it was lost; null if it failed a start
 */
public record Shunned(NodeId node, Instant since, @Nullable Long lostInSession) {

    static Shunned blamed(NodeId node, Instant now) {
        return new Shunned(node, now, null);
    }

    static Shunned lost(Job.LostNode lost, Instant now) {
        return new Shunned(lost.node(), now, lost.session());
    }

    boolean wasLost() {
        return lostInSession != null;
    }

    /** What the node's state says ends it: nothing evicts from the node, and it may take new work or lives anew. */
    boolean endedBy(long session, boolean takesNewWork) {
        return lostInSession == null ? takesNewWork : session > lostInSession;
    }
}

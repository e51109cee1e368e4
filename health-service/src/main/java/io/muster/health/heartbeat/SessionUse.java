package io.muster.health.heartbeat;

import io.muster.health.node.NodeRecord;

/** Hears that a node has the session that it was given. */
public interface SessionUse {

    /** With the first heartbeat of a session, before it is answered; asked again until it returns. */
    void used(NodeRecord node);
}

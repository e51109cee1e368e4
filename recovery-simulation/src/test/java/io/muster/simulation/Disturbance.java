package io.muster.simulation;

/** What can go wrong, or be asked for by a person, at a moment. */
enum Disturbance {
    NODE_DIES,
    RACK_DIES,
    AGENT_DIES,
    AGENT_PAUSED,
    AGENT_ENDS,
    CUT_FROM_SERVICES,
    CUT_FROM_PEERS,
    CUT_FROM_ALL,
    RANK_DIES,
    SERVICE_DIES,
    SERVICE_DIES_AT_COMMIT,
    SERVICE_PAUSED,
    TOPIC_AWAY,
    STORE_AWAY,
    SHARD_DAMAGED,
    BAD_DISK,
    CANCEL
}

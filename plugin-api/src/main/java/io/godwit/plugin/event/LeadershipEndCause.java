package io.godwit.plugin.event;

/** Why a replica no longer leads its range. */
public enum LeadershipEndCause {
    /** This node passed it to another voter: for balance, for an operator, or because the node stops. */
    HANDED_OVER,
    /** Another voter was elected, or stands for election; or this replica no longer votes. */
    SUPERSEDED,
    /** This node did not reach a majority of the voters for an election timeout: it may be cut off. */
    QUORUM_LOST,
    /** The keys belong to the neighbour on the left now. */
    MERGED,
    /** The replica was removed from this node. */
    REPLICA_REMOVED,
    /** This node stops. */
    STOPPED,
    /** The replica stopped after a fault, see {@link BrokerEvent.ReplicaStopped}. */
    FAILED
}

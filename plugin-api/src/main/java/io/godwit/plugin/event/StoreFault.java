package io.godwit.plugin.event;

/** Why a store does not fully serve on this node. */
public enum StoreFault {
    /** The free space of the disk is below its limit, or file descriptors are short: what adds data is refused. */
    READ_ONLY,
    /** Some ranges have no leader or too few voters: requests for their keys wait and are refused in the end. */
    NO_QUORUM,
    /** The node's log or replicas on this node stopped after a fault. Other nodes may serve their ranges. */
    FAILED
}

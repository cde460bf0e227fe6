package io.godwit.plugin.event;

/**
 * A wait of one cluster node for other nodes, bounded by a setting. The setting of {@code HOME_LOST} is
 * {@code clusterConfig.waits.homeLostSeconds}; the others are named alike.
 */
public enum NodeWait {
    /**
     * Another member confirms a subscription, or answers which member of a shared group it chose. On timeout the other
     * members are asked to go on without it.
     */
    CONFIRMATION,
    /**
     * The other members say which members of shared groups they have chosen for a message of QoS 2 that is resumed. On
     * timeout its publisher is refused.
     */
    SHARED_CHOICE,
    /** A range of the dist store takes the routes of a stored session, and this node has applied them. */
    ROUTE,
    /** This node proves that it serves. Acknowledgements are held for this time and then refused. */
    PROOF,
    /** The client id of a CONNECT becomes free. On timeout the CONNECT is refused. */
    CLIENT_ID,
    /** A link to a member that a request waits for. On timeout the other members are asked to go on without it. */
    SILENT_MEMBER,
    /** A leader of an inbox takes a command. On timeout the command fails. */
    HOME,
    /** A connection continues at the next leader of its inbox, after the last leader stopped normally. */
    HOME_MOVED,
    /** A connection continues at the next leader of its inbox, after the last leader's node was lost. */
    HOME_LOST,
    /** The connection of a stored session comes to the new leader of its inbox. On timeout the session is detached. */
    CONNECTION,
    /** A broken link is restored. On timeout the peer counts as gone, and what was sent to it is lost. */
    LINK,
    /**
     * The link to another node has room for a message of QoS 1 or 2, or is restored. On timeout its publisher is
     * refused. Counted for each message and each node.
     */
    HELD_MESSAGE,
    /** A range of the retain store answers. */
    RETAINED,
    /** Other nodes take over leadership from this one, while it stops. */
    HAND_OVER,
    /** The other members agree that this one leaves, while it stops. */
    LEAVE
}

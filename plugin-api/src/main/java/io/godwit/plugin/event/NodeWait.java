package io.godwit.plugin.event;

/**
 * What a node of a cluster waits for from other nodes, for as long as a setting says. The setting of {@code HOME_LOST}
 * is {@code clusterConfig.waits.homeLostSeconds}, and so for the others.
 */
public enum NodeWait {
    /**
     * Another member confirms a subscription, or answers whom it has chosen for a shared group. Without that the others
     * are asked to go on without the member.
     */
    CONFIRMATION,
    /** A range of the dist store takes the routes of a stored session, and this node has applied them. */
    ROUTE,
    /** This node proves that it serves. Acknowledgements are held for so long and then refused. */
    PROOF,
    /** The client id of a CONNECT becomes free. Without that the CONNECT is refused. */
    CLIENT_ID,
    /** A link to a member that somebody waits for. Without it the others are asked to go on without the member. */
    SILENT_MEMBER,
    /** A leader of an inbox takes a command. Without that the command fails. */
    HOME,
    /** A connection goes on at the next leader of its inbox, after the last one was stopped in good order. */
    HOME_MOVED,
    /** A connection goes on at the next leader of its inbox, after the node of the last one was lost. */
    HOME_LOST,
    /** The connection of a stored session comes to the new leader of its inbox. Without it the session is detached. */
    CONNECTION,
    /** A broken link is made anew. Without that the peer is over, and what was sent to it is lost. */
    LINK,
    /** A range of the retain store answers. */
    RETAINED,
    /** Other nodes take what this one leads, while it stops. */
    HAND_OVER,
    /** The other members agree that this one leaves, while it stops. */
    LEAVE
}

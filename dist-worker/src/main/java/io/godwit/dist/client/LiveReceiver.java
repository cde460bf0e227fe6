package io.godwit.dist.client;

/**
 * A session that exists only in the memory of this node (session expiry 0), implemented by the frontend; or an object
 * that represents all such members of one shared group on one other node. Compared by identity.
 */
public non-sealed interface LiveReceiver extends Receiver {
    /**
     * Number of members of a shared group on another node that this object represents; 0 for a session of this node.
     */
    default int membersElsewhere() {
        return 0;
    }

    /** Approximate heap bytes of all filters of the session; on the session's thread. */
    default long filterBytes() {
        return 0;
    }
}

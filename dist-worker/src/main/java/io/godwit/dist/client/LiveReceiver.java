package io.godwit.dist.client;

/**
 * A session that lives in the memory of this node only (session expiry 0), implemented by the frontend; or what stands
 * for all such members that one shared group has on one other node. Identity is equality.
 */
public non-sealed interface LiveReceiver extends Receiver {
    /** How many members of a shared group on another node this stands for; 0 for a session of this node. */
    default int membersElsewhere() {
        return 0;
    }

    /** What all filters of the session take on the heap, about; on the session's thread. */
    default long filterBytes() {
        return 0;
    }
}

package io.godwit.cluster.link;

/** Learns of peers. Called on one thread of the links, in order; must not block. */
public interface LinkListener {
    /** The peer is there; no frame of it was received before. */
    default void joined(Peer peer) {}

    /** A connection of the peer has broken, and is made anew. */
    default void disconnected(Peer peer) {}

    /** There is a connection again. */
    default void reconnected(Peer peer) {}

    /** It had no connection for {@link LinkSettings#silence}, and so is over: {@link #over} follows. */
    default void silent(Peer peer) {}

    /** No frame of the peer is received any more. The last call about it. */
    default void over(Peer peer, String why) {}
}

package io.godwit.cluster.link;

/** Is told of the life of peers. Called in order on one thread of the links; must not block. */
public interface LinkListener {
    /** The peer has begun; none of its frames was received before. */
    default void joined(Peer peer) {}

    /** The connection of the peer has broken; the links make a new one. */
    default void disconnected(Peer peer) {}

    /** The peer is connected again. */
    default void reconnected(Peer peer) {}

    /** The peer had no connection for {@link LinkSettings#silence}. {@link #over} follows. */
    default void silent(Peer peer) {}

    /** The peer is over: no more of its frames are received. This is the last call about it. */
    default void over(Peer peer, String why) {}
}

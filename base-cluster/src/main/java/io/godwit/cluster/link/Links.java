package io.godwit.cluster.link;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The links of this node to the other members. Thread-safe. */
public interface Links {
    /** Sets the receiver of a lane. Must be called before the links start, once for each lane. */
    void receive(Lane lane, LaneReceiver receiver);

    /** Adds {@code listener}, which is first told of the present peers, then of each change. */
    void addListener(LinkListener listener);

    /** The peers that are not over. */
    List<Peer> peers();

    /** The peer of a node; null if there is none or it is over. */
    @Nullable
    Peer peer(String nodeId);
}

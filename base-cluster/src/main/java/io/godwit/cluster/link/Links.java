package io.godwit.cluster.link;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The links of this node to the other members. Thread-safe. */
public interface Links {
    /** Has {@code receiver} take the frames of a lane. Before the links start; once for each lane. */
    void receive(Lane lane, LaneReceiver receiver);

    /** From now on {@code listener} is told; first of the peers that there are. */
    void addListener(LinkListener listener);

    /** Those that are not over. */
    List<Peer> peers();

    /** The peer of a node; null when there is none that is not over. */
    @Nullable
    Peer peer(String nodeId);
}

package io.godwit.cluster.link;

import org.jspecify.annotations.Nullable;

/** Makes streams to other nodes: over gRPC, or within a test. */
interface LinkCarrier {
    /**
     * Returns at once; null when there is no way to the node now. What the stream has to say may be said before the
     * return.
     */
    @Nullable
    LinkStream dial(String nodeId, LinkStream.Events events);
}

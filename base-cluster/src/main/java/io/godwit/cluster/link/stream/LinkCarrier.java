package io.godwit.cluster.link.stream;

import org.jspecify.annotations.Nullable;

/** Opens streams to other nodes: over gRPC, or in memory in a test. */
public interface LinkCarrier {
    /**
     * Opens a stream and returns at once; null if the node cannot be reached now. The first events may come before this
     * returns.
     */
    @Nullable
    LinkStream dial(String nodeId, LinkStream.Events events);
}

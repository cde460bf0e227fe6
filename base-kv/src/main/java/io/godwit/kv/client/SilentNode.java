package io.godwit.kv.client;

import java.time.Duration;

/**
 * Time limits for a node that falls silent because it is stopped or cut off, and so holds up the clients of other
 * nodes. A component waits at least {@link #PATIENCE} before it refuses or disconnects a client.
 */
public final class SilentNode {
    /** After this time other nodes serve everything that the silent node led. */
    public static final Duration SERVED_AGAIN = Duration.ofSeconds(12);

    /** The same with a margin for a busy machine, for requests that must then reach another node. */
    public static final Duration PATIENCE = SERVED_AGAIN.plusSeconds(3);

    private SilentNode() {}
}

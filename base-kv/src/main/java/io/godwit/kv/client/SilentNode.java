package io.godwit.kv.client;

import java.time.Duration;

/**
 * How long a node that falls silent, as one that is stopped or cut off, may hold up the clients of the others. What
 * refuses or disconnects them when it has waited in vain waits for {@link #PATIENCE} at least.
 */
public final class SilentNode {
    /** Until then everything that the silent node led is served again by others. */
    public static final Duration SERVED_AGAIN = Duration.ofSeconds(12);

    /** The same with a margin for a busy machine: for requests that have to reach another node then. */
    public static final Duration PATIENCE = SERVED_AGAIN.plusSeconds(3);

    private SilentNode() {}
}

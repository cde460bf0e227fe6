package io.godwit.mqtt.client;

import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of connected clients.
 *
 * @param criteria which ones
 * @param after those behind this key; null from the beginning
 * @param limit entries at most, 1 to {@link #MAX_LIMIT}
 * @param untilNanos when to end with what has been found by then, in the time of {@link System#nanoTime}
 */
public record ClientQuery(ClientCriteria criteria, @Nullable ClientKey after, int limit, long untilNanos) {
    public static final int MAX_LIMIT = 1_000;

    public ClientQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " clients, was " + limit);
        }
    }
}

package io.godwit.mqtt.client;

import org.jspecify.annotations.Nullable;

/**
 * A request for a page of connected clients.
 *
 * @param criteria selects clients
 * @param after only clients after this key; null for the beginning
 * @param limit entries at most, 1 to {@link #MAX_LIMIT}
 * @param untilNanos deadline, in the time of {@link System#nanoTime}; then the page has what was found so far
 */
public record ClientQuery(ClientCriteria criteria, @Nullable ClientKey after, int limit, long untilNanos) {
    public static final int MAX_LIMIT = 1_000;

    public ClientQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " clients, was " + limit);
        }
    }
}

package io.godwit.api.port.message;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Delayed messages ({@code $delayed/SECONDS/TOPIC}) of all nodes that are not due yet. Called on any thread; calls
 * return at once. Futures complete on any thread, soon after {@code within} at the latest. They fail with
 * {@link NotServingException} when the store does not answer or has too many such requests, and with
 * {@link IllegalArgumentException} for an invalid limit, filter or cursor.
 */
public interface DelayedAdmin {
    /** The most messages of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * A delayed message.
     *
     * @param id identifies it in requests; URL-safe
     * @param topic the topic it will be published to
     * @param clientId of its publisher
     * @param dueAtMillis wall time since 1970
     */
    record DelayedView(String id, String topic, String clientId, int qos, long payloadBytes, long dueAtMillis) {}

    /**
     * A page of delayed messages, in the order of the store.
     *
     * @param filter that their topics match; empty for any
     * @param cursor from the last page; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}; a page may have fewer although more follow
     */
    CompletableFuture<Page<DelayedView, String>> delayed(
            String tenant, Optional<String> filter, @Nullable String cursor, int limit, Duration within);

    /**
     * The number of delayed messages.
     *
     * @param isWhole whether all were counted; else there are at least this many
     */
    record Count(long messages, boolean isWhole) {}

    /** Counts as many as it can in the time; see {@link #delayed}. */
    CompletableFuture<Count> count(String tenant, Optional<String> filter, Duration within);

    /**
     * Discards one message. If the future fails, it may have been discarded.
     *
     * @return whether it existed
     */
    CompletableFuture<Boolean> discard(String tenant, String id, Duration within);

    /**
     * The result of discarding.
     *
     * @param next cursor to continue from; null when all were looked at
     */
    record Discarded(int messages, @Nullable String next) {}

    /** Discards the messages of one page of {@link #delayed}. If the future fails, some may have been discarded. */
    CompletableFuture<Discarded> discardMatching(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within);
}

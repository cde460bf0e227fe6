package io.godwit.api.port;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Messages of {@code $delayed/SECONDS/TOPIC} that wait for their time, of all nodes. Called on any thread; calls return
 * at once. Futures complete on any thread, at the latest soon after {@code within}. They fail with
 * {@link NotServingException} when the store does not answer or has too many such questions, and with
 * {@link IllegalArgumentException} for a limit, a filter or a cursor that is none.
 */
public interface DelayedAdmin {
    /** The most messages of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * A message that waits.
     *
     * @param id names it in requests; of the alphabet of URLs
     * @param topic that it will be published to
     * @param clientId of its publisher
     * @param dueAtMillis wall time since 1970
     */
    record DelayedView(String id, String topic, String clientId, int qos, long payloadBytes, long dueAtMillis) {}

    /**
     * A page of them, in the order in which they are stored.
     *
     * @param filter that their topics match; empty for any
     * @param cursor of the page before; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}; fewer may come although there are more
     */
    CompletableFuture<Page<DelayedView, String>> delayed(
            String tenant, Optional<String> filter, @Nullable String cursor, int limit, Duration within);

    /**
     * How many there are.
     *
     * @param isWhole whether all were counted; else there are at least so many
     */
    record Count(long messages, boolean isWhole) {}

    /** Counts them, as far as the time goes; see {@link #delayed}. */
    CompletableFuture<Count> count(String tenant, Optional<String> filter, Duration within);

    /** Discards one; whether it was there. When it fails it may have been done. */
    CompletableFuture<Boolean> discard(String tenant, String id, Duration within);

    /**
     * What was discarded.
     *
     * @param next where it goes on; null when all were looked at
     */
    record Discarded(int messages, @Nullable String next) {}

    /** Discards those of one page of {@link #delayed}. When it fails, a part may have been done. */
    CompletableFuture<Discarded> discardMatching(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within);
}

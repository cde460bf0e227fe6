package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The stored sessions of all nodes. Called on any thread; calls return at once and do not block. Futures complete on
 * any thread, which the callback must not hold up, and at the latest soon after {@code within}. They fail with {@link
 * NotServingException} when a range that is needed has no leader in time, or too many questions are under way, and with
 * {@link IllegalArgumentException} for a limit or a cursor that is none.
 */
public interface SessionAdmin {
    /** The most sessions of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * Which sessions are wanted: those that meet all that is given.
     *
     * @param tenant exactly
     * @param clientId how the client id must be
     * @param onlyDisconnected whether those with a connection are left out
     * @param leastQueued the least number of queued messages
     */
    record Filter(
            Optional<String> tenant,
            Optional<ClientFilter.TextPattern> clientId,
            boolean onlyDisconnected,
            int leastQueued) {
        public static final Filter ALL = new Filter(Optional.empty(), Optional.empty(), false, 0);
    }

    /**
     * A part of the list.
     *
     * @param items may be none although there is a cursor, when nothing that is wanted was found in time
     * @param cursor for what is behind it, opaque, up to 90,000 characters of the alphabet of URLs; null at the end
     */
    record SessionPage(List<SessionView> items, @Nullable String cursor) {
        public SessionPage {
            items = List.copyOf(items);
        }
    }

    /**
     * A page of sessions, in the order of the store: by tenant, then by a hash of the client id. A session that comes
     * or goes between two pages may be in one or in none; all others are in exactly one.
     *
     * @param cursor of the page before, with the same filter; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}; fewer may come although there are more
     */
    CompletableFuture<SessionPage> sessions(Filter filter, @Nullable String cursor, int limit, Duration within);

    /** One session; empty when none is stored. */
    CompletableFuture<Optional<SessionView>> session(ClientKey key, Duration within);

    /**
     * Ends a session with its queue and its subscriptions; its connection, if it has one, is told so (0x98). Its will,
     * if owed, is published. When it fails it may have been done, or be done later.
     *
     * @return whether there was one
     */
    CompletableFuture<Boolean> delete(ClientKey key, Duration within);

    /**
     * What became of a queue.
     *
     * @param messages that were taken out of it
     * @param kept those that stay: QoS 1 and 2 that may have been sent and are not acknowledged to the end
     */
    record Purged(long messages, long kept) {}

    /**
     * Empties the queue of a session. What may have been sent to its client at QoS 1 and 2 stays, since the client may
     * have it and answer [MQTT5-4.4.0-1]. Each message that goes is counted and reported as dropped. Messages that come
     * while it is done may go or stay. When it fails it may have been done, or be done within {@code within}.
     *
     * @return empty when no session is stored
     */
    CompletableFuture<Optional<Purged>> purge(ClientKey key, Duration within);
}

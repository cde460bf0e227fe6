package io.godwit.api.port.client;

import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The stored sessions of all nodes. Called on any thread; calls return at once and do not block. Futures complete on
 * any thread, which the callback must not block, soon after {@code within} at the latest. They fail with
 * {@link NotServingException} when a required range has no leader in time, or too many requests are under way, and with
 * {@link IllegalArgumentException} for an invalid limit or cursor.
 */
public interface SessionAdmin {
    /** The most sessions of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * Selects the sessions that meet every condition given.
     *
     * @param tenant exactly
     * @param clientId a pattern for the client id
     * @param onlyDisconnected whether sessions with a connection are left out
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
     * @param items may be empty although there is a cursor, when the search found none in time
     * @param cursor for the next part, opaque, up to 90,000 URL-safe characters; null at the end
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
     * @param cursor from the last page, with the same filter; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}; a page may have fewer although more follow
     */
    CompletableFuture<SessionPage> sessions(Filter filter, @Nullable String cursor, int limit, Duration within);

    /** One session; empty when none is stored. */
    CompletableFuture<Optional<SessionView>> session(ClientReference key, Duration within);

    /**
     * Ends a session with its queue and its subscriptions; its connection, if it has one, ends with 0x98. A pending
     * will is published. If the future fails, the session may have ended, or may end later.
     *
     * @return whether there was one
     */
    CompletableFuture<Boolean> delete(ClientReference key, Duration within);

    /**
     * The result of a purge.
     *
     * @param messages number of messages removed
     * @param kept number of messages that stay: QoS 1 and 2 messages that may have been sent and whose exchange is
     *     not complete
     */
    record Purged(long messages, long kept) {}

    /**
     * Empties the queue of a session. QoS 1 and 2 messages that may have been sent stay, since the client may have them
     * and answer [MQTT5-4.4.0-1]. Each removed message is counted and reported as dropped. Messages that arrive
     * meanwhile may be removed or stay. If the future fails, the purge may have been done, or may be done until
     * {@code within} is over.
     *
     * @return empty when no session is stored
     */
    CompletableFuture<Optional<Purged>> purge(ClientReference key, Duration within);
}

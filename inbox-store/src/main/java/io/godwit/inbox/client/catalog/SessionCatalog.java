package io.godwit.inbox.client.catalog;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The stored sessions of all nodes, for operators. Reads stored data at the leader of each range and changes nothing.
 * Thread-safe. Futures complete on any thread, which the caller must not block, and fail with
 * {@link io.godwit.kv.client.RangeException}, or {@link IllegalArgumentException} for an invalid cursor.
 */
public interface SessionCatalog {
    /** The most sessions of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * A filter for sessions.
     *
     * @param tenant null for all
     * @param clientId pattern of the client id
     * @param onlyDetached whether sessions of connected clients are left out
     * @param leastMessages fewest messages in the queue
     * @param areKept true for sessions that the broker itself keeps for their wills, false for those of clients
     */
    record Criteria(
            @Nullable TenantId tenant, IdPattern clientId, boolean onlyDetached, int leastMessages, boolean areKept) {
        /** Sessions of clients. */
        public Criteria(
                @Nullable TenantId tenant, String idText, boolean isPrefix, boolean onlyDetached, int leastMessages) {
            this(tenant, new IdPattern(idText, isPrefix), onlyDetached, leastMessages, false);
        }

        /** Sessions that are kept for their wills, with client ids that begin with {@code idPrefix}. */
        public static Criteria kept(TenantId tenant, String idPrefix) {
            return new Criteria(tenant, new IdPattern(idPrefix, true), true, 0, true);
        }

        public static final Criteria ALL = new Criteria(null, "", true, false, 0);
    }

    /**
     * A page of sessions, in stored order: by tenant, then by a hash of the client id.
     *
     * @param sessions may be empty although there is a cursor
     * @param cursor of the next page; null when there is nothing more
     */
    record Page(List<StoredSessionInfo> sessions, @Nullable String cursor) {
        public Page {
            sessions = List.copyOf(sessions);
        }
    }

    /**
     * Reads one page of the list. A session that begins or ends between two pages may be missing; every other session
     * is listed exactly once, whatever happens to ranges and leaders meanwhile. When the deadline passes, or a later
     * range does not answer, the page holds what was found until then, perhaps nothing, with a cursor to continue. The
     * call fails when it has made no progress at all.
     *
     * @param cursor of the previous page; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Page> page(Criteria criteria, @Nullable String cursor, int limit, Deadline deadline);

    /** One session; empty when there is none. */
    CompletableFuture<Optional<StoredSessionInfo>> find(TenantId tenant, ClientId clientId, Deadline deadline);

    /**
     * A page of the subscriptions of one session.
     *
     * @param subscriptions sorted by the text of the filter ({@link String#compareTo})
     * @param hasMore whether more follow the last one
     */
    record SubscriptionPage(List<StoredSubscription> subscriptions, boolean hasMore) {
        public SubscriptionPage {
            subscriptions = List.copyOf(subscriptions);
        }
    }

    /**
     * Reads a page of the subscriptions of one session, without {@link StoredSubscription#retainedFrom}; empty when
     * there is no session. About 1 MiB at most.
     *
     * @param after only filters that sort after this text; null for the first page
     * @param limit 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Optional<SubscriptionPage>> subscriptions(
            TenantId tenant, ClientId clientId, @Nullable String after, int limit, Deadline deadline);
}

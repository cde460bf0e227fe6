package io.godwit.inbox.client;

import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The stored sessions of all nodes, for operators. Reads what is stored, at the leader of each range, and disturbs
 * neither leaders nor clients. Thread-safe. Futures complete on any thread, which must not be held up, and fail with
 * {@link io.godwit.kv.client.RangeException}, or {@link IllegalArgumentException} for a cursor that is none.
 */
public interface SessionCatalog {
    /** The most sessions of a page. */
    int MAX_LIMIT = 1_000;

    /**
     * Which sessions are asked for.
     *
     * @param tenant null for all
     * @param clientId how the client id must be
     * @param onlyDetached whether those of connected clients are left out
     * @param leastMessages in the queue
     * @param areKept whether those are asked for that the broker itself keeps for their wills, rather than those of
     *     clients
     */
    record Criteria(
            @Nullable TenantId tenant, IdPattern clientId, boolean onlyDetached, int leastMessages, boolean areKept) {
        /** Those of clients. */
        public Criteria(
                @Nullable TenantId tenant, String idText, boolean isPrefix, boolean onlyDetached, int leastMessages) {
            this(tenant, new IdPattern(idText, isPrefix), onlyDetached, leastMessages, false);
        }

        /** Those that are kept for their wills, with client ids that begin so. */
        public static Criteria kept(TenantId tenant, String idPrefix) {
            return new Criteria(tenant, new IdPattern(idPrefix, true), true, 0, true);
        }

        public static final Criteria ALL = new Criteria(null, "", true, false, 0);
    }

    /**
     * A page of sessions, in the order in which they are stored: by tenant, then by a hash of the client id.
     *
     * @param sessions may be none although there is a cursor
     * @param cursor for the page behind it; null when there is nothing more
     */
    record Page(List<StoredSessionInfo> sessions, @Nullable String cursor) {
        public Page {
            sessions = List.copyOf(sessions);
        }
    }

    /**
     * A page of the list. A session that comes or goes meanwhile may be in it or not; all others are in it once,
     * whatever happens to ranges and leaders between two pages. When the deadline comes, or a later range does not
     * answer, the page has what was found by then, which may be nothing, and goes on there. It fails when it would go
     * on where it began.
     *
     * @param cursor of the page before; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Page> page(Criteria criteria, @Nullable String cursor, int limit, Deadline deadline);

    /** One session; empty when there is none. */
    CompletableFuture<Optional<StoredSessionInfo>> find(TenantId tenant, ClientId clientId, Deadline deadline);

    /**
     * Subscriptions of one session.
     *
     * @param subscriptions by the texts of their filters ({@link String#compareTo})
     * @param hasMore whether more come behind the last one
     */
    record SubscriptionPage(List<StoredSubscription> subscriptions, boolean hasMore) {
        public SubscriptionPage {
            subscriptions = List.copyOf(subscriptions);
        }
    }

    /**
     * A page of the subscriptions of one session, without what they are owed of retained messages; empty when there is
     * no session. About 1 MiB at most.
     *
     * @param after only those behind this text of a filter; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Optional<SubscriptionPage>> subscriptions(
            TenantId tenant, ClientId clientId, @Nullable String after, int limit, Deadline deadline);
}

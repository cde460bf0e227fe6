package io.godwit.inbox.leader;

import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.ledger.Pending;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * One life of a session in the memory of the range leader, which owns it: what the record has of it, its filters, and
 * what is on its way into the store. {@link FilterTable} and {@link OwedRetained} say how the store holds the rest.
 */
final class Session extends StoredSession {
    private @Nullable Pending termsIn;
    private final Filters filters = new Filters(this::isOwed);
    private @Nullable OwedRetained retained;

    Session(long incarnation, long first, ClientInfo client, long expirySeconds) {
        super(incarnation, first, client, expirySeconds);
    }

    /** One that is loaded. */
    Session(StoredSession stored) {
        super(stored);
    }

    /**
     * The batch that wrote what a connection relies on: that the session is there, its expiry, its user and its will.
     * Null when that was loaded.
     */
    @Nullable
    Pending termsIn() {
        return termsIn;
    }

    void termsWrittenBy(Pending batch) {
        termsIn = batch;
    }

    Filters filters() {
        return filters;
    }

    private boolean isOwed(TopicFilter filter) {
        OwedRetained owed = retained();
        return owed != null && owed.isOwed(filter);
    }

    /** What the subscriptions are owed; null for nothing. */
    @Nullable
    OwedRetained retained() {
        OwedRetained owed = retained;
        return owed == null || owed.isLeft() ? null : owed;
    }

    void owe(@Nullable OwedRetained owed) {
        retained = owed;
    }
}

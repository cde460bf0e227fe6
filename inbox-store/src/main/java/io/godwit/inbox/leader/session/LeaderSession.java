package io.godwit.inbox.leader.session;

import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.ledger.Pending;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a session in the memory of the range leader, which owns it: the fields of the record, the filters,
 * and pending writes. {@link FilterTable} and {@link OwedRetained} describe the other stored parts.
 */
public final class LeaderSession extends StoredSession {
    private @Nullable Pending termsIn;
    private final Filters filters = new Filters(this::isOwed);
    private @Nullable OwedRetained retained;

    public LeaderSession(long incarnation, long first, ClientInfo client, long expirySeconds) {
        super(incarnation, first, client, expirySeconds);
    }

    /** A session that was loaded. */
    public LeaderSession(StoredSession stored) {
        super(stored);
    }

    /**
     * The last batch that wrote what a connection relies on: that the session exists, its expiry, its user and its
     * will. Null when that was loaded.
     */
    public @Nullable Pending termsIn() {
        return termsIn;
    }

    public void termsWrittenBy(Pending batch) {
        termsIn = batch;
    }

    public Filters filters() {
        return filters;
    }

    private boolean isOwed(TopicFilter filter) {
        OwedRetained owed = retained();
        return owed != null && owed.isOwed(filter);
    }

    /** The retained messages that the subscriptions are owed; null for none. */
    public @Nullable OwedRetained retained() {
        OwedRetained owed = retained;
        return owed == null || owed.isLeft() ? null : owed;
    }

    public void owe(@Nullable OwedRetained owed) {
        retained = owed;
    }
}

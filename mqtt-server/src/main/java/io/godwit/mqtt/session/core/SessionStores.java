package io.godwit.mqtt.session.core;

import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.retain.client.RetainClient;
import org.jspecify.annotations.Nullable;

/**
 * The stores that sessions use.
 *
 * @param dist routes of subscriptions, and the distribution of messages
 * @param inbox sessions that outlive their connection, with their queues
 * @param retain retained messages
 * @param exclusive knows which client of the cluster has an exclusive filter; null on a node that is alone, where
 *     {@code dist} knows it
 */
public record SessionStores(
        DistClient dist,
        InboxClient inbox,
        RetainClient retain,
        @Nullable SessionDirectory exclusive) {
    /** Of a node that is alone. */
    public SessionStores(DistClient dist, InboxClient inbox, RetainClient retain) {
        this(dist, inbox, retain, null);
    }
}

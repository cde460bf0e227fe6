package io.godwit.dist.route;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.topic.TopicFilter;

/** The stored subscription of a persistent session. */
public record Route(TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options) {
    /** The identity of a route: no two routes have the same filter and receiver. */
    record Key(TopicFilter filter, InboxReceiver receiver) {}
}

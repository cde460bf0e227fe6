package io.godwit.dist.route;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.topic.TopicFilter;

/** The stored subscription of a persistent session. */
public record Route(TopicFilter filter, InboxReceiver receiver, SubscriptionOptions options) {
    /** What tells one route from another: never two of the same filter and receiver. */
    record Key(TopicFilter filter, InboxReceiver receiver) {}
}

package io.godwit.mqtt.client;

import io.godwit.dist.client.Receiver;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * The subscriptions of a session that ends with its connection.
 *
 * @param receiver the receiver under which this node's matcher holds these filters
 * @param filters in no order
 */
public record LiveSubscriptions(Receiver receiver, List<TopicFilter> filters) {
    public LiveSubscriptions {
        filters = List.copyOf(filters);
    }
}

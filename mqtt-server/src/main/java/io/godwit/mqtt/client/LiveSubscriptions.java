package io.godwit.mqtt.client;

import io.godwit.dist.client.Receiver;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * What a session that ends with its connection is subscribed to.
 *
 * @param receiver whom the matcher of this node has these filters for
 * @param filters in no order
 */
public record LiveSubscriptions(Receiver receiver, List<TopicFilter> filters) {
    public LiveSubscriptions {
        filters = List.copyOf(filters);
    }
}

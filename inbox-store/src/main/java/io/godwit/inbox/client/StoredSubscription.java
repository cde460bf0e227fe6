package io.godwit.inbox.client;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * A subscription as the session record keeps it (MQTT 5.0, 3.8.3.1).
 *
 * @param retainHandling 0 to 2
 * @param subscriptionId 0 when absent
 */
public record StoredSubscription(
        TopicFilter filter,
        Qos qos,
        boolean noLocal,
        boolean retainAsPublished,
        int retainHandling,
        int subscriptionId) {}

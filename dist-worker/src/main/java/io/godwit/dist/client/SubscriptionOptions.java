package io.godwit.dist.client;

import io.godwit.plugin.message.Qos;

/**
 * Options of a subscription that matter for delivery (MQTT 5.0, 3.8.3.1). Retain handling is not among them, because it
 * matters only at SUBSCRIBE.
 *
 * @param subscriptionId 0 when absent, else 1 to 268,435,455
 */
public record SubscriptionOptions(Qos qos, boolean noLocal, boolean retainAsPublished, int subscriptionId) {}

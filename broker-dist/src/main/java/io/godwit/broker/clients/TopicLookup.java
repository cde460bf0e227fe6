package io.godwit.broker.clients;

import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.client.TenantId;

/** Knows whom topics go to, as {@link io.godwit.dist.DistWorker#receivers} says. */
@FunctionalInterface
public interface TopicLookup {
    TopicReceivers receivers(TenantId tenant, String topic, int most);
}

package io.godwit.broker.clients;

import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;

/** Knows whom topics go to on this node, and who has filters: {@link io.godwit.dist.DistWorker}. Any thread. */
public interface TopicLookup {
    /** See {@link io.godwit.dist.DistWorker#receivers}. */
    TopicReceivers receivers(TenantId tenant, String topic, int most);

    /** See {@link io.godwit.dist.DistWorker#subscribers}. */
    TopicReceivers subscribers(TenantId tenant, TopicFilter filter, int most);
}
